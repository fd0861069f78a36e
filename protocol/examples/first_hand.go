// Play one hand: go run first_hand.go [PORT]. Standard library only; JSON over TCP.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"time"
)

type fields map[string]any

type message struct {
	Type, Code, Message, Table string
	HandID                     string `json:"hand_id"`
	YourSeat                   int    `json:"your_seat"`
	Re, Seat, Seq              int
	Check                      bool
	Stacks                     []struct{ Seat, Stack int }
	Tables                     []struct {
		Table           string
		Occupied, Seats int
		HouseBots       int `json:"house_bots"`
		MinBuyIn        int `json:"min_buy_in"`
	}
}

var room net.Conn
var id int

func send(kind string, request fields) {
	id++
	request["type"], request["id"] = kind, id
	body, _ := json.Marshal(request)
	length := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	if _, err := room.Write(append(length, body...)); err != nil {
		log.Fatal(err)
	}
}

func receive() (got message) {
	var length uint32
	if err := binary.Read(room, binary.BigEndian, &length); err != nil {
		log.Fatal(err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(room, body); err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(body))
	if err := json.Unmarshal(body, &got); err != nil {
		log.Fatal(err)
	}
	return got
}

func ask(kind string, request fields) message { // before the first table, nothing but answers comes
	send(kind, request)
	answer := receive()
	if answer.Type == "error" {
		log.Fatal(answer.Code, ": ", answer.Message)
	}
	return answer
}

func main() {
	port := "4190"
	if len(os.Args) > 1 {
		port = os.Args[1]
	}
	var err error
	if room, err = net.Dial("tcp", "127.0.0.1:"+port); err != nil {
		log.Fatal(err)
	}
	ask("hello", fields{"version": 1, "client": "first hand"})
	name := fmt.Sprintf("first.%d", time.Now().UnixNano()%1e9)
	ask("register", fields{"name": name, "password": "correct horse"})
	for _, row := range ask("list_tables", fields{}).Tables {
		if row.HouseBots > 0 && row.Occupied < row.Seats {
			play(row.Table, row.MinBuyIn)
			return
		}
	}
	log.Fatal("bots play at no table")
}

func play(table string, buyIn int) {
	me := ask("sit_down", fields{"table": table, "buy_in": buyIn, "post": true}).YourSeat
	leaving := false
	for {
		event := receive()
		switch {
		case event.Type == "turn" && event.Seat == me:
			action := "call"
			if event.Check {
				action = "check"
			}
			send("act", fields{"table": table, "hand_id": event.HandID, "seq": event.Seq, "action": action})
		case event.Type == "hand_ended" && event.dealt(me):
			send("stand_up", fields{"table": table})
			leaving = true
		case leaving && event.Re == id:
			return
		}
	}
}

func (event message) dealt(me int) bool {
	for _, seat := range event.Stacks {
		if seat.Seat == me {
			return true
		}
	}
	return false
}
