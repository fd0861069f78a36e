/** The pokerroom protocol v1 for JavaScript: a session without I/O, and a WebSocket client that reconnects.
 *
 * The contract is `protocol/README.md`. ES modules, the JSON subprotocol, no dependency.
 */

export { CodecError, decode, encode } from "./codec.js";
export { ClientSession, PROTOCOL_VERSION } from "./session.js";
export { afterEvent, tableNumber, tournamentOf } from "./table_view.js";
export { afterUltimateEvent } from "./ultimate_view.js";
export { PokerClient, Refused, ConnectionEnded, SUBPROTOCOL } from "./client.js";
