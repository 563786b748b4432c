import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { trackerProtocols } from './trackers.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../../docs/devices/trackers.md'), 'utf8');

/** The rows of the table that follows this line. */
function rowsAfter(line: string): string[][] {
  const [, table = ''] = GUIDE.split(`${line}\n`);
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(1);
  return rows.map((row) => row.split('|').map((cell) => cell.trim()));
}

test('the guide names the commands of every protocol', () => {
  const reported = rowsAfter('| Protocol | Commands |').map(([, name, commands]) => [
    name!.replaceAll('`', ''),
    [...commands!.matchAll(/`(\w+)`/g)].map(([, command]) => command!).sort(),
  ]);
  const spoken = trackerProtocols.map(({ name, commands }) => [name, [...commands].sort()]);
  assert.deepEqual(Object.fromEntries(reported), Object.fromEntries(spoken));
});

test('the guide says of every protocol what to enter in a tracker', () => {
  const reported = rowsAfter('| Protocol | Makers and models | What to enter | |').map(([, name]) => name);
  assert.deepEqual([...new Set(reported)].sort(), trackerProtocols.map(({ name }) => `\`${name}\``).sort());
});

test('the guide lists the well-known port of every protocol', () => {
  const reported = rowsAfter('| Protocol | Well-known port | First bytes |').map(([, name, port]) => [
    name!,
    Number(port),
  ]);
  assert.deepEqual(
    Object.fromEntries(reported),
    Object.fromEntries(trackerProtocols.map(({ name, wellKnownPort }) => [`\`${name}\``, wellKnownPort])),
  );
});
