import { DatabaseSync } from 'node:sqlite';

/** Preloaded into the control of the power cuts: its server does not flush the log at each commit. */
const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function weakened(sql: string) {
  return exec.call(this, sql.replace('synchronous = FULL', 'synchronous = NORMAL'));
};
