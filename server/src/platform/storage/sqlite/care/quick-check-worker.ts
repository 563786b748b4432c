import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToRequests } from '../../../threads.ts';
import { openConnection } from '../connection.ts';

/** Checks the structure of a database on a connection of its own; the writer never waits for it. */

const { file, thorough } = workerData as { file: string; thorough: boolean };
const MOST = 20;
// A large database is checked for a while after each start.
giveWayToRequests();

function check(): string[] {
  const connection = openConnection(file, { readOnly: true, cacheMb: 4 });
  try {
    // A file that is cut off while it is mapped would end the process.
    connection.exec('PRAGMA mmap_size = 0');
    const rows = [
      ...connection.prepare(`PRAGMA ${thorough ? 'integrity_check' : 'quick_check'}(${MOST})`).all(),
      // SQLite leaves the list of free pages out where it comes upon a view first; asked for the schema, it never does.
      ...connection.prepare('PRAGMA quick_check(sqlite_schema)').all(),
    ];
    // The word in front names the attached database, which is always the same here.
    const found = rows.map((row) => String(Object.values(row)[0]).replaceAll('*** in database main ***\n', ''));
    const wrong = [...new Set(found.filter((line) => line !== 'ok'))];
    if (!thorough) return wrong;
    const orphans = connection.prepare('PRAGMA foreign_key_check').all().slice(0, MOST);
    return [...wrong, ...orphans.map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to no ${parent}`)];
  } finally {
    connection.close();
  }
}

let findings: string[];
try {
  findings = check();
} catch (error) {
  findings = [(error as Error).message];
}
parentPort!.postMessage(findings);
