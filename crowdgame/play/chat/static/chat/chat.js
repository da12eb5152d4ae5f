// Chat client: one WebSocket for each room on the page. Messages are inserted as text, never as markup. Without
// this script the forms still work, and a reload shows new messages. The texts are in the page.

import { fetchInTime, onWake } from "../page/network.js";

const KEPT = 300;
const FIRST_MS = 500;
const LAST_MS = 20_000;
const STAY_AWAY = 4500;
const LOST = 1006;
/** Proxies close sockets that are silent for 50 or 60 s. */
const SILENCE_MS = 20_000;
const ANSWER_WITHIN_MS = 6_000;
/** A whole audience may be joining. */
const JOINED_WITHIN_MS = 15_000;

const timed = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const dated = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

function formatTime(time, at) {
  time.dateTime = at.toISOString();
  time.textContent = (at.toDateString() === new Date().toDateString() ? timed : dated).format(at);
}

class Talk {
  constructor(room) {
    this.room = room;
    this.log = room.querySelector(".log");
    this.form = room.querySelector(".say");
    this.seq = Number(room.dataset.seq);
    this.blocked = new Set(room.dataset.blocked.split(" ").filter(Boolean));
    this.wait = FIRST_MS;
    for (const said of this.log.querySelectorAll(".said")) this.mark(said);
    this.log.scrollTop = this.log.scrollHeight;
    this.form?.addEventListener("submit", (submit) => {
      submit.preventDefault();
      this.say();
    });
    onWake(() => this.probe());
    this.listen();
  }

  listen() {
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws/chat`);
    this.socket = socket;
    this.within = 0;
    this.expectMessage(JOINED_WITHIN_MS);
    socket.onopen = () => socket.send(JSON.stringify({ type: "chat.join", key: this.room.dataset.key, seq: this.seq }));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      this.later(() => this.probe(), SILENCE_MS);
      if (message.type === "chat.posted") this.receive(message);
      if (message.type === "retry.after") this.within = message.within_ms;
    };
    socket.onclose = ({ code }) => this.closed(code);
  }

  /** One timer at a time: for the next request, the answer, or the next connection. */
  later(callback, ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(callback, ms);
  }

  /** Requests an answer. Without a connection, connects soon, unless the server has set a delay. */
  probe() {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({ type: "clock.ask", sent: 0 }));
      this.expectMessage(ANSWER_WITHIN_MS);
    } else if (!this.socket && !this.within) this.later(() => this.listen(), Math.random() * FIRST_MS);
  }

  expectMessage(withinMs) {
    this.later(() => this.closed(LOST), withinMs);
  }

  closed(code) {
    clearTimeout(this.timer);
    this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    if (code >= STAY_AWAY) return this.complain(this.room.querySelector(".note").dataset.stale);
    this.socket = null;
    this.later(() => this.listen(), Math.random() * (this.within || this.wait));
    this.wait = Math.min(this.wait * 2, LAST_MS);
  }

  receive(message) {
    this.wait = FIRST_MS;
    if (message.seq < this.seq) return location.reload();
    this.seq = message.seq;
    const { log } = this;
    const follows = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    for (const line of message.lines) this.show(line);
    for (const old of [...log.querySelectorAll(".said")].slice(0, -KEPT)) old.remove();
    if (follows) log.scrollTop = log.scrollHeight;
    if (this.form) this.form.hidden = message.closed;
    const shut = this.room.querySelector(".shut");
    if (shut) shut.hidden = !message.closed;
    const slow = this.room.querySelector(".slow");
    slow.textContent = message.slow_s > 2 ? slow.dataset.text.replace("{seconds}", message.slow_s) : "";
  }

  show(line) {
    const known = document.getElementById(`said-${line.id}`);
    if (line.removed) return known?.remove();
    if (known) return;
    const said = this.room.querySelector("template").content.firstElementChild.cloneNode(true);
    said.id = `said-${line.id}`;
    said.dataset.who = line.who;
    said.querySelector("time").dateTime = new Date(line.at).toISOString();
    said.querySelector(".name").textContent = line.name;
    said.querySelector(".text").textContent = line.text;
    const more = said.querySelector(".more");
    more.href = `/play/chat/${this.room.id}/${line.id}`;
    more.setAttribute("aria-label", more.getAttribute("aria-label").replace("{name}", () => line.name));
    this.mark(said);
    if (!said.hidden) this.log.append(said);
  }

  mark(said) {
    said.hidden = this.blocked.has(said.dataset.who);
    if (said.dataset.who === this.room.dataset.me) said.dataset.own = "";
    const time = said.querySelector("time");
    formatTime(time, new Date(time.dateTime));
  }

  async say() {
    const { form, room } = this;
    const [button, typed] = [form.querySelector("button"), form.elements.text];
    button.disabled = true;
    try {
      const answer = await fetchInTime(form.action, {
        method: "POST",
        body: new FormData(form),
        headers: { Accept: "application/json" },
      });
      const message = await answer.json();
      this.complain(message.problem);
      if (answer.ok) {
        room.dataset.me = message.me;
        typed.value = "";
        for (const said of room.querySelectorAll(".said")) this.mark(said);
      }
    } catch {
      this.complain(room.querySelector(".note").dataset.unsent);
    }
    button.disabled = false;
    typed.focus();
  }

  complain(problem = "") {
    const note = this.room.querySelector(".note");
    note.textContent = problem;
    note.hidden = !problem;
  }
}

const open = new WeakSet();

function openAll() {
  for (const room of document.querySelectorAll(".talk")) {
    if (!open.has(room)) new Talk(room);
    open.add(room);
  }
}

// A duel's page gets more rooms when both players are there, and at the end.
document.addEventListener("refreshed", openAll);
openAll();
