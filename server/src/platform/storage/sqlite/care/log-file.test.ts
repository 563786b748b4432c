import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { openConnection } from '../connection.ts';
import { examineLog } from './examine.ts';
import { databaseFile, logFile, markFile, readLog } from './log-file.ts';
import { MarkFile, noteMark, readMark, settleBeforeClose } from './mark.ts';

const FRAME_BYTES = 24 + 4096;
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-log-'));
  folders.push(folder);
  return folder;
}

/** Rows of most of a page, so that a transaction of several takes several frames. */
function insert(connection: DatabaseSync, rows: number): void {
  connection.exec('BEGIN IMMEDIATE');
  for (let row = 0; row < rows; row++)
    connection.prepare('INSERT INTO things (text) VALUES (?)').run(`${Math.random()} `.repeat(150));
  connection.exec('COMMIT');
}

function openThings(folder: string): DatabaseSync {
  const connection = openConnection(databaseFile(folder));
  connection.exec(
    'PRAGMA wal_autocheckpoint = 0; CREATE TABLE IF NOT EXISTS things (id INTEGER PRIMARY KEY, text TEXT)',
  );
  return connection;
}

const framesOf = (connection: DatabaseSync) =>
  (connection.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number }).log;

/** A copy of the files as a crash leaves them; `change` edits the log. */
function crashed(folder: string, change: (log: Buffer) => Buffer = (log) => log): string {
  const copy = join(tempFolder(), 'data');
  mkdirSync(copy);
  copyFileSync(databaseFile(folder), databaseFile(copy));
  writeFileSync(logFile(copy), change(readFileSync(logFile(folder))));
  try {
    copyFileSync(markFile(folder), markFile(copy));
  } catch {
    // There is none.
  }
  return copy;
}

describe('the log is read as SQLite recovers it', () => {
  test('the committed frames are those that SQLite counts, also after the log was restarted', () => {
    const folder = tempFolder();
    const connection = openThings(folder);
    for (const rows of [1, 7, 3]) insert(connection, rows);
    assert.equal(readLog(logFile(folder))!.committed, framesOf(connection));
    connection.prepare('PRAGMA wal_checkpoint(RESTART)').get();
    insert(connection, 2);
    const { committed, provenLost } = readLog(logFile(folder))!;
    assert.equal(committed, framesOf(connection));
    assert.ok(committed < 10, 'the older use of the log, which is longer, does not count');
    assert.equal(provenLost, undefined);
    connection.close();
  });

  test('a bad byte before a later transaction proves a loss, in whatever part of a frame', () => {
    const folder = tempFolder();
    const connection = openThings(folder);
    for (const rows of [3, 3, 3]) insert(connection, rows);
    const all = framesOf(connection);
    for (const at of [24, 100, 4000, 16, 20, 8]) {
      const copy = crashed(folder, (log) => {
        log[32 + 2 * FRAME_BYTES + at]! ^= 0x40;
        return log;
      });
      const [sentence] = examineLog(copy);
      assert.match(sentence ?? '', /damaged inside: \d+ changed pages/, `byte ${at}`);
    }
    assert.deepEqual(examineLog(crashed(folder)), []);
    assert.equal(readLog(logFile(folder))!.committed, all);
    connection.close();
  });

  test('a mark reveals a log that is cut off, missing, replaced by an older one, or bad in its last transaction', () => {
    const folder = tempFolder();
    const connection = openThings(folder);
    insert(connection, 3);
    const older = readFileSync(logFile(folder));
    insert(connection, 5);
    noteMark(connection, logFile(folder), new MarkFile(markFile(folder)));
    assert.equal(readMark(markFile(folder))!.frames, framesOf(connection));
    assert.deepEqual(examineLog(crashed(folder)), []);
    const lost = (change: (log: Buffer) => Buffer) => examineLog(crashed(folder, change))[0] ?? '';
    assert.match(
      lost((log) => log.subarray(0, log.length - 100)),
      /cut off/,
    );
    assert.match(
      lost(() => Buffer.alloc(0)),
      /is missing/,
    );
    assert.match(
      lost(() => older),
      /cut off/,
    );
    assert.match(
      lost((log) => {
        log[log.length - 10]! ^= 1;
        return log;
      }),
      /damaged/,
    );
    assert.match(
      lost((log) => {
        log[17]! ^= 1;
        return log;
      }),
      /no valid header/,
    );
    connection.close();
  });

  test('a mark does not miss a log that was copied into the database, restarted or deleted', () => {
    const folder = tempFolder();
    const connection = openThings(folder);
    const mark = new MarkFile(markFile(folder));
    insert(connection, 5);
    noteMark(connection, logFile(folder), mark);
    connection.prepare('PRAGMA wal_checkpoint(RESTART)').get();
    insert(connection, 1);
    assert.deepEqual(examineLog(crashed(folder)), [], 'restarted');
    noteMark(connection, logFile(folder), mark);
    settleBeforeClose(folder);
    connection.close();
    assert.deepEqual(examineLog(folder), [], 'deleted by the last who closed it');
    const again = openThings(folder);
    insert(again, 2);
    assert.deepEqual(examineLog(crashed(folder)), [], 'begun anew');
    again.close();
  });

  test('another program that copied the log into the database and deleted it has lost nothing', () => {
    const folder = tempFolder();
    const connection = openThings(folder);
    insert(connection, 20);
    noteMark(connection, logFile(folder), new MarkFile(markFile(folder)));
    const copy = crashed(folder);
    const without = crashed(folder, () => Buffer.alloc(0));
    connection.close();
    const other = new DatabaseSync(databaseFile(copy));
    assert.equal(other.prepare('SELECT COUNT(*) AS "count" FROM things').get()!.count, 20);
    other.close();
    assert.equal(existsSync(logFile(copy)), false);
    assert.deepEqual(examineLog(copy), []);
    assert.match(examineLog(without)[0] ?? '', /is missing/);
  });

  test('what a power cut tears off is no loss: of what was not flushed, any part may be on the disk', () => {
    const folder = tempFolder();
    let connection = openThings(folder);
    const mark = new MarkFile(markFile(folder));
    insert(connection, 4);
    for (let cut = 0; cut < 60; cut++) {
      noteMark(connection, logFile(folder), mark);
      const flushed = readFileSync(logFile(folder));
      const kept = 32 + framesOf(connection) * FRAME_BYTES;
      // The last transaction is not flushed: each block of it is on the disk, or what was there before.
      insert(connection, 1 + (cut % 6));
      const copy = crashed(folder, (log) => {
        for (let block = Math.floor(kept / 512) + 1; block * 512 < log.length; block++) {
          if (Math.random() < 0.7) continue;
          const before = flushed.subarray(block * 512, (block + 1) * 512);
          log.fill(0, block * 512, Math.min((block + 1) * 512, log.length));
          before.copy(log, block * 512);
        }
        return Math.random() < 0.3 ? log.subarray(0, kept + Math.floor(Math.random() * (log.length - kept))) : log;
      });
      assert.deepEqual(examineLog(copy), [], `cut ${cut}`);
      // Life goes on from there, over what is left of the torn transaction.
      connection.close();
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      for (const file of [databaseFile, logFile, markFile]) copyFileSync(file(copy), file(folder));
      connection = openThings(folder);
      insert(connection, 1);
    }
    connection.close();
  });

  // The two frames of 64 whose mark of a commit and whose sum lie in different blocks of 512 bytes.
  for (const [frame, inHeader] of [
    [41, 8],
    [62, 16],
  ] as const)
    test(`the header of frame ${frame}, left half new and half old by a power cut, proves nothing`, () => {
      const at = 32 + frame * FRAME_BYTES;
      const isCommit = (log: Buffer) => log.length >= at + FRAME_BYTES && log.readUInt32BE(at + 4) !== 0;
      const base = tempFolder();
      const connection = openThings(base);
      while (framesOf(connection) < frame - 5) insert(connection, 1);
      const logAfter = (rows: number) => {
        const copy = crashed(base);
        const other = openThings(copy);
        insert(other, rows);
        const log = readFileSync(logFile(copy));
        other.close();
        return log;
      };
      const newer = [1, 2, 3, 4, 5, 6, 7, 8].map(logAfter).find(isCommit)!;
      const older = logAfter(30);
      assert.equal(isCommit(older), false, 'a transaction that was torn before was longer');
      const torn = at + inHeader;
      assert.equal(torn % 512, 0);
      const copy = crashed(base, () => Buffer.concat([newer.subarray(0, torn), older.subarray(torn)]));
      assert.deepEqual(examineLog(copy), []);
      connection.close();
    });
});
