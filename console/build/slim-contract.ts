import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Operation } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS } from '@trackway/contract/operations.ts';
import { isList } from '@trackway/contract/query-values.ts';
import type { Plugin } from 'vite';

/**
 * A browser needs of the contract how operations are called, and its lists and limits; the schemas, which only the server
 * checks, are two thirds of what the page would load first. What a file does not have after this, the build misses.
 */
export const slimContract = (): Plugin => ({
  name: 'trackway-slim-contract',
  enforce: 'pre',
  async load(id) {
    const file = contractFileOf(id);
    if (file === undefined) return null;
    if (file === 'operations.ts') return { code: slimOperations(), moduleSideEffects: false };
    // Forms are made from this one.
    if (!file.startsWith('resources/') || file === 'resources/device-config.ts') return null;
    return { code: constantsOf(await import(pathToFileURL(id).href)), moduleSideEffects: false };
  },
});

function contractFileOf(id: string): string | undefined {
  const file = relative(`${import.meta.dirname}/../../contract/src`, id);
  return file.endsWith('.ts') && !file.startsWith('..') ? file : undefined;
}

/** What a client asks of an operation. */
export const slim = (operation: Operation) => ({
  method: operation.method,
  path: operation.path,
  versions: operation.versions,
  access: operation.access,
  narrowing: operation.narrowing,
  media: operation.media,
  changes: operation.changes,
  isRepeatable: operation.isRepeatable,
  status: operation.status,
  body: operation.body && true,
  query:
    operation.query &&
    Object.fromEntries(
      Object.entries(operation.query).map(([name, schema]) => [name, isList(schema) ? { type: 'array' } : {}]),
    ),
});

const slimOperations = () => {
  const operations = Object.fromEntries(Object.entries(OPERATIONS).map(([name, one]) => [name, slim(one)]));
  return `export const BASES = ${JSON.stringify(BASES)};\nexport const OPERATIONS = ${JSON.stringify(operations)};\n`;
};

/** The exports that are plain values, without the schemas. */
export function constantsOf(module: Readonly<Record<string, unknown>>): string {
  return Object.entries(module)
    .filter(([, value]) => isPlain(value))
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) return value.every(isPlain);
    const isBare = Object.getPrototypeOf(value) === Object.prototype && !Object.hasOwn(value, '~kind');
    return isBare && Object.values(value).every(isPlain);
  }
  return ['string', 'number', 'boolean'].includes(typeof value) || value === null;
}
