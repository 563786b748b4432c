import { chunkedText } from '../chunked-text.ts';
import type { Store } from '../schema/tables.ts';
import { exportChunk } from './export-chunk.ts';

/** Exports the positions of a device as a file, in chunks that are formatted on a thread apart. */
export const trackExports = (store: Pick<Store, 'readWork'>) => chunkedText('exports', store.readWork(exportChunk));
