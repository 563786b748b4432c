import { join } from 'node:path';

/** The files of the data folder. */

export const databaseFile = (folder: string) => join(folder, 'trackway.db');
export const logFile = (folder: string) => `${databaseFile(folder)}-wal`;
export const sharedMemoryFile = (folder: string) => `${databaseFile(folder)}-shm`;
/** How far the log came, outside of the log. */
export const markFile = (folder: string) => join(folder, 'trackway.mark');
/** Losses that were found and that no operator has accepted yet. */
export const damageFile = (folder: string) => join(folder, 'trackway.damage');
/** Space that is given back when the disk is full. */
export const reserveFile = (folder: string) => join(folder, 'trackway.reserve');
