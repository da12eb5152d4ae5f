// Rooms on a page stay current over a socket each. What is said is text and never markup. Without this script the
// forms work all the same, and a reload brings what is new.

const KEPT = 300;
const FIRST_MS = 500;
const LAST_MS = 20_000;
const STAY_AWAY = 4500;

const timed = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const dated = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

function tellTime(time, at) {
  time.dateTime = at.toISOString();
  time.textContent = (at.toDateString() === new Date().toDateString() ? timed : dated).format(at);
}

class Talk {
  constructor(room) {
    this.room = room;
    this.log = room.querySelector(".log");
    this.form = room.querySelector(".say");
    this.seq = Number(room.dataset.seq);
    this.muted = new Set(room.dataset.muted.split(" ").filter(Boolean));
    this.wait = FIRST_MS;
    for (const said of this.log.querySelectorAll(".said")) this.mark(said);
    this.log.scrollTop = this.log.scrollHeight;
    this.form?.addEventListener("submit", (submit) => {
      submit.preventDefault();
      this.say();
    });
    this.listen();
  }

  listen() {
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws/chat`);
    let within = 0;
    socket.onopen = () => socket.send(JSON.stringify({ type: "chat.join", key: this.room.dataset.key, seq: this.seq }));
    socket.onmessage = ({ data }) => {
      const told = JSON.parse(data);
      if (told.type === "chat.told") this.hear(told);
      if (told.type === "retry.told") within = told.within_ms;
    };
    socket.onclose = ({ code }) => {
      if (code >= STAY_AWAY) return this.complain("Load the page again to go on reading.");
      setTimeout(() => this.listen(), Math.random() * (within || this.wait));
      this.wait = Math.min(this.wait * 2, LAST_MS);
    };
  }

  hear(told) {
    this.wait = FIRST_MS;
    if (told.seq < this.seq) return location.reload();
    this.seq = told.seq;
    const { log } = this;
    const follows = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    for (const line of told.lines) this.show(line);
    for (const old of [...log.querySelectorAll(".said")].slice(0, -KEPT)) old.remove();
    if (follows) log.scrollTop = log.scrollHeight;
    if (this.form) this.form.hidden = told.closed;
    const shut = this.room.querySelector(".shut");
    if (shut) shut.hidden = !told.closed;
    this.room.querySelector(".slow").textContent = told.slow_s > 2 ? `One message in ${told.slow_s} s.` : "";
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
    more.href = `/hall/chat/${this.room.id}/${line.id}`;
    more.setAttribute("aria-label", `Mute or report ${line.name}`);
    this.mark(said);
    if (!said.hidden) this.log.append(said);
  }

  mark(said) {
    said.hidden = this.muted.has(said.dataset.who);
    if (said.dataset.who === this.room.dataset.me) said.dataset.own = "";
    const time = said.querySelector("time");
    tellTime(time, new Date(time.dateTime));
  }

  async say() {
    const { form, room } = this;
    const [button, typed] = [form.querySelector("button"), form.elements.text];
    button.disabled = true;
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        body: new FormData(form),
        headers: { Accept: "application/json" },
      });
      const told = await answer.json();
      this.complain(told.problem);
      if (answer.ok) {
        room.dataset.me = told.me;
        typed.value = "";
        for (const said of room.querySelectorAll(".said")) this.mark(said);
      }
    } catch {
      this.complain("That did not get through. Try again.");
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

for (const room of document.querySelectorAll(".talk")) new Talk(room);
