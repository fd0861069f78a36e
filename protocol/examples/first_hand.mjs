// Play one hand: node first_hand.mjs [PORT]. JSON over WebSocket: Node 22, or any browser.
const port = globalThis.process?.argv[2] ?? "4191";
const room = new WebSocket(`ws://127.0.0.1:${port}/ws`, "pokerroom.v1.json");
const name = `first.${Math.floor(Math.random() * 1e9)}`;
let id = 0;
let table, me, leaving;

const send = (type, fields) => room.send(JSON.stringify({ type, id: ++id, ...fields }));

room.onopen = () => send("hello", { version: 1, client: "first hand" });
room.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  console.log(message);
  switch (message.type) {
    case "welcome":
      return send("register", { name, password: "correct horse" });
    case "authenticated":
      return send("list_tables");
    case "tables": {
      const free = (row) => row.house_bots && row.occupied < row.seats;
      const info = message.tables.find(free);
      table = info.table;
      return send("sit_down", { table, buy_in: info.min_buy_in, post: true });
    }
    case "snapshot":
      me = message.your_seat;
      return;
    case "turn":
      if (message.seat !== me) return;
      const { hand_id, seq } = message;
      return send("act", { table, hand_id, seq, action: message.check ? "check" : "call" });
    case "hand_ended":
      if (!message.stacks.some(({ seat }) => seat === me)) return;
      send("stand_up", { table });
      leaving = id;
      return;
    case "ok":
      if (message.re === leaving) room.close();
      return;
    case "error":
      if (!me) throw new Error(`${message.code}: ${message.message}`);
  }
};
