'use strict';

// LoopBack 3 with its memory connector, queried over standard input and output: a line of JSON in, a line of JSON out.
//
//   {"rows": [...]}      replace all rows by these                     -> {"kept": n}
//   {"find": {filter}}   the result of `Model.find` with that filter   -> {"ids": [...]} or {"error": "..."}
//
// LoopBack itself sometimes writes to standard output; only lines that begin with `> ` are answers.

const readline = require('node:readline');
const loopback = require('loopback');

const properties = {
  id: { type: Number, id: true },
  rank: Number,
  weight: Number,
  name: String,
  open: Boolean,
  seen: Date,
  extra: Object,
  tags: [String],
  spot: 'GeoPoint',
};

const app = loopback({ localRegistry: true, loadBuiltinModels: false });
app.dataSource('memory', { connector: 'memory' });
const Thing = app.registry.createModel('Thing', properties, { strict: true });
app.model(Thing, { dataSource: 'memory' });

async function answer(question) {
  if (question.rows) {
    await Thing.destroyAll();
    for (const row of question.rows) await Thing.create(row);
    return { kept: question.rows.length };
  }
  const found = await Thing.find(question.find);
  return { ids: found.map((thing) => thing.id) };
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let said;
    try {
      said = await answer(JSON.parse(line));
    } catch (error) {
      said = { error: String(error?.message) };
    }
    process.stdout.write(`> ${JSON.stringify(said)}\n`);
  }
}

main();
