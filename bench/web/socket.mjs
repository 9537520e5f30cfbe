// A WebSocket client over a plain socket, with the Origin that the server asks for: hundreds of them cost little, and one can
// be dropped without a farewell.

import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";

export class Socket {
  /** @param {string} link the printed link, with the token @param {(message: any, text: string) => void} heard */
  constructor(link, heard = () => {}) {
    const url = new URL(link);
    this.token = url.hash.slice(3);
    this.heard = heard;
    this.n = 0;
    this.rest = Buffer.alloc(0);
    this.parts = [];
    const key = randomBytes(16).toString("base64");
    this.open = new Promise((done, failed) => {
      this.socket = connect(Number(url.port), url.hostname, () => {
        this.socket.write(`GET /ws HTTP/1.1\r\nHost: ${url.host}\r\nOrigin: ${url.origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
      });
      this.socket.setNoDelay(true);
      this.socket.on("error", failed);
      this.socket.on("close", () => failed(new Error("closed")));
      const accepted = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      let head = "";
      const first = (data) => {
        head += data.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        this.socket.off("data", first);
        if (!head.includes(accepted)) return failed(new Error(head.split("\r\n")[0]));
        this.socket.on("data", (more) => this.data(more));
        this.data(Buffer.from(head.slice(end + 4), "latin1"));
        done(this);
      };
      this.socket.on("data", first);
    });
    this.open.catch(() => {});
  }

  /** Says hello, and waits for the welcome. */
  async hello(lang = "en") {
    await this.open;
    const welcome = this.next((message) => message.t === "welcome");
    this.send("hello", { v: 1, token: this.token, lang });
    await welcome;
    return this;
  }

  data(more) {
    this.rest = Buffer.concat([this.rest, more]);
    for (;;) {
      if (this.rest.length < 2) return;
      let [size, at] = [this.rest[1] & 127, 2];
      if (size === 126) [size, at] = [this.rest.length < 4 ? Infinity : this.rest.readUInt16BE(2), 4];
      else if (size === 127) [size, at] = [this.rest.length < 10 ? Infinity : Number(this.rest.readBigUInt64BE(2)), 10];
      if (this.rest.length < at + size) return;
      const [first, body] = [this.rest[0], this.rest.subarray(at, at + size)];
      this.rest = this.rest.subarray(at + size);
      if ((first & 15) > 2) continue;
      this.parts.push(body);
      if (!(first & 128)) continue;
      const text = Buffer.concat(this.parts).toString("utf8");
      this.parts = [];
      const message = JSON.parse(text);
      this.heard(message, text);
      this.waiting?.(message);
    }
  }

  /** Waits for the next message that a condition holds for. */
  next(wanted, limit = 60_000) {
    return new Promise((done, failed) => {
      const timer = setTimeout(() => failed(new Error("waited in vain")), limit);
      this.waiting = (message) => {
        if (!wanted(message)) return;
        this.waiting = null;
        clearTimeout(timer);
        done(message);
      };
    });
  }

  /** Sends a text as it is. */
  text(text) {
    const body = Buffer.from(text);
    const mask = randomBytes(4);
    const head = body.length < 126 ? Buffer.from([129, 128 | body.length]) : body.length < 65_536 ? Buffer.from([129, 254, body.length >> 8, body.length & 255]) : Buffer.from([129, 255, 0, 0, 0, 0, ...[24, 16, 8, 0].map((shift) => (body.length >>> shift) & 255)]);
    for (let i = 0; i < body.length; i++) body[i] ^= mask[i & 3];
    this.socket.write(Buffer.concat([head, mask, body]));
  }

  send(t, body = {}) {
    this.text(JSON.stringify({ t, n: ++this.n, ...body }));
  }

  /** Gone without a word. */
  drop() {
    this.socket.destroy();
  }
}
