#!/usr/bin/env node
// A game with analysis, driven as Sabaki does it: by its npm package @sabaki/gtp.
//
//     npm install @sabaki/gtp
//     cargo build --release
//     node tests/clients/sabaki_gtp.js [BINARY]
//
// Two controllers play each other on 9x9, one answering `genmove`, the other `lz-genmove_analyze` and
// `kata-genmove_analyze` in turn; before each move a stream of `analyze` is watched and broken off by the next command,
// as Sabaki does when its user goes on. Sabaki's own state tracker brings the engines to the position. First, ranks of
// strength are set: a rank's move is there at once, and no rank beside those that there are is taken.

const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const binary = process.argv[2] || 'target/release/nguky-gtp'
const letters = 'ABCDEFGHJKLMNOPQRSTUVWXYZ'
const fail = why => {
  console.error('FAIL', why)
  process.exit(1)
}
const coord = vertex =>
  vertex.toLowerCase() === 'pass' ? [-1, -1] : [letters.indexOf(vertex[0]), 9 - +vertex.slice(1)]

async function ranks() {
  const engine = new Controller(binary, ['--rank', '20k'])
  engine.start()
  const send = async (name, ...args) => {
    const {error, content} = await engine.sendCommand({name, args})
    return error ? `? ${content}` : content
  }
  for (const rank of ['8k', '1d', 'full', '20k']) {
    const said = await send('nguky-rank', rank)
    if (said !== '') fail(`nguky-rank ${rank}: ${said}`)
    const start = Date.now()
    if (rank !== 'full' && !/^[A-HJ-T]\d+$/.test(await send('genmove', 'B'))) fail(`no move at ${rank}`)
    if (Date.now() - start > 2000) fail(`a move at ${rank} took ${Date.now() - start} ms`)
    await send('clear_board')
  }
  const said = await send('nguky-rank', '31k')
  if (!/^\? .*from 20k/.test(said)) fail(`nguky-rank 31k: ${said}`)
  await engine.stop()
}

async function main() {
  await ranks()
  const players = [0, 1].map(() => {
    const engine = new Controller(binary, ['--playouts', '100'])
    const tracker = new ControllerStateTracker(engine)
    engine.start()
    return {engine, tracker}
  })
  const history = []
  let passes = 0
  let streams = 0
  let infos = 0
  for (let n = 0; n < 200 && passes < 2; n++) {
    const colour = n % 2 === 0 ? 'B' : 'W'
    const {engine, tracker} = players[n % 2]
    await tracker.sync({komi: 7, boardsize: [9, 9], handicap: 0, history})
    // A stream that the next command ends.
    const analyse = ['lz-analyze', 'kata-analyze', 'analyze'][n % 3]
    let seen = 0
    const running = engine.sendCommand({name: analyse, args: [colour, '2']}, ({line}) => {
      if (/^(= ?)?info move [A-T]\d+|^(= ?)?info move pass/i.test(line || '')) seen++
    })
    await new Promise(done => setTimeout(done, 120))
    const name = await engine.sendCommand({name: 'name'})
    const ended = await running
    if (name.error || ended.error || name.content !== 'nguky-gtp') fail(`stream ${analyse}: ${JSON.stringify([name, ended])}`)
    if (seen > 0) streams++
    infos += seen
    const command = n % 2 === 0 ? 'genmove' : ['lz-genmove_analyze', 'kata-genmove_analyze'][(n >> 1) % 2]
    let vertex = null
    const args = n % 2 === 0 ? [colour] : [colour, '5']
    const answer = await engine.sendCommand({name: command, args}, ({line}) => {
      const found = /^play (\S+)/.exec(line || '')
      if (found) vertex = found[1]
    })
    if (answer.error) fail(`${command}: ${answer.content}`)
    if (n % 2 === 0) vertex = answer.content.trim()
    if (!vertex) fail(`${command} named no move: ${answer.content}`)
    if (/resign/i.test(vertex)) break
    passes = /pass/i.test(vertex) ? passes + 1 : 0
    history.push({name: 'play', args: [colour, vertex]})
    if (!/pass/i.test(vertex) && coord(vertex)[0] < 0) fail(`no vertex: ${vertex}`)
  }
  // Both sides know the same board and the same result.
  const scores = []
  for (const {engine, tracker} of players) {
    await tracker.sync({komi: 7, boardsize: [9, 9], handicap: 0, history})
    const bad = await engine.sendCommand({name: 'play', args: ['B', 'Z99']})
    if (!bad.error) fail('a vertex off the board was accepted')
    scores.push((await engine.sendCommand({name: 'final_score'})).content)
    await engine.stop()
  }
  if (scores[0] !== scores[1]) fail(`scores differ: ${scores}`)
  console.log(`ok: ${history.length} moves, ${streams} streams with ${infos} lines, result ${scores[0]}`)
  if (streams < history.length / 2) fail('most streams said nothing')
}

main().catch(fail)
