// Without a browser: the languages' words, and what the page's files may not contain.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { PAGE } from "./harness.mjs";

const files = readdirSync(PAGE, { recursive: true }).map(String).filter((name) => statSync(path.join(PAGE, name)).isFile());
const text = (name) => readFileSync(path.join(PAGE, name), "utf8");

test("both languages have the same keys with the same places for arguments", async () => {
  const [vi, en] = await Promise.all(["vi", "en"].map((lang) => import(path.join(PAGE, `words/${lang}.js`))));
  assert.deepEqual(Object.keys(vi.WORDS).sort(), Object.keys(en.WORDS).sort());
  const places = (sentence) => [...new Set(sentence.match(/\{\d\}/g))].sort();
  for (const key of Object.keys(en.WORDS)) assert.deepEqual(places(vi.WORDS[key]), places(en.WORDS[key]), key);
});

test("every sentence that the page names is there", async () => {
  const { WORDS } = await import(path.join(PAGE, "words/en.js"));
  for (const name of files.filter((file) => file.endsWith(".js"))) {
    for (const [, key] of text(name).matchAll(/\bt\("([a-z_0-9]+)"/g)) assert.ok(Object.hasOwn(WORDS, key), `${name}: ${key}`);
  }
});

test("every sentence that the server names is there, in words alone", async () => {
  const { WORDS } = await import(path.join(PAGE, "words/en.js"));
  const server = path.join(PAGE, "..");
  const sources = readdirSync(server, { recursive: true }).map(String).filter((name) => name.endsWith(".rs") && !name.startsWith("tests"));
  const keys = sources.flatMap((name) => {
    const source = readFileSync(path.join(server, name), "utf8");
    const said = [...source.matchAll(/json!\(\[\s*"([a-z_0-9]+)"/g), ...source.matchAll(/^ {4}\(\s*"[^"]*",\s*"((?:over|damage)_[a-z_0-9]+)",?\s*\),/gm)];
    return said.map(([, key]) => [name, key]);
  });
  assert.ok(keys.length > 60, `${keys.length} keys`);
  for (const [name, key] of keys) assert.ok(Object.hasOwn(WORDS, key), `${name}: ${key}`);
});

test("no markup is parsed and no style attribute is written", () => {
  const forbidden = /innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function|\sstyle=|https?:\/\/(?!www\.w3\.org\/2000\/svg)/;
  for (const name of files) assert.doesNotMatch(text(name), forbidden, name);
});

test("the first load is small", () => {
  const packed = files.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(PAGE, name))).length, 0);
  assert.ok(files.length <= 25, `${files.length} files`);
  assert.ok(packed <= 120_000, `${packed} bytes packed`);
});
