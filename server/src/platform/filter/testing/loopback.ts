import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Asked } from './deviations.ts';
import type { GeneratedFilter } from './filters.ts';
import type { Thing } from './rows.ts';

const folder = fileURLToPath(new URL('../../../../../oracle/', import.meta.url));

/** LoopBack 3 in a separate process. */
export interface LoopBack {
  keep(things: readonly Thing[]): Promise<void>;
  find(filter: Omit<GeneratedFilter, 'where'> & { where: Asked }): Promise<number[]>;
  stop(): Promise<void>;
}

export function startLoopBack(): LoopBack {
  if (!existsSync(`${folder}node_modules/loopback`)) {
    throw new Error(
      'The oracle is not installed, so nothing was compared with LoopBack: run `npm ci --prefix oracle`.',
    );
  }
  const child: ChildProcess = spawn(process.execPath, ['--no-deprecation', `${folder}server.cjs`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: { resolve(answer: Answer): void; reject(error: Error): void }[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    if (line.startsWith('> ')) waiting.shift()?.resolve(JSON.parse(line.slice(2)));
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      for (const { reject } of waiting.splice(0)) reject(new Error(`LoopBack ended with ${code}`));
      resolve();
    });
  });
  const ask = (question: unknown) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ resolve, reject });
      child.stdin!.write(`${JSON.stringify(question)}\n`);
    });

  let everyId: number[] = [];
  async function ids(find: unknown): Promise<number[]> {
    const answer = await ask({ find });
    if (!answer.ids) throw new Error(`LoopBack failed: ${answer.error}`);
    return answer.ids;
  }
  /** LoopBack has no operator for the complement, so the inner rows are queried first. */
  async function withoutOthers(where: Asked): Promise<Asked> {
    const plain: Asked = {};
    for (const [key, value] of Object.entries(where)) {
      if (key === 'others') {
        const found = new Set(await ids({ where: await withoutOthers(value as Asked) }));
        return { id: { inq: everyId.filter((id) => !found.has(id)) } };
      }
      const isGroup = key === 'and' || key === 'or';
      plain[key] = isGroup ? await Promise.all((value as Asked[]).map(withoutOthers)) : value;
    }
    return plain;
  }
  return {
    async keep(things) {
      everyId = things.map(({ id }) => id);
      await ask({ rows: things });
    },
    find: async (filter) => ids({ ...filter, where: await withoutOthers(filter.where) }),
    async stop() {
      child.stdin!.end();
      await ended;
    },
  };
}

interface Answer {
  readonly ids?: number[];
  readonly error?: string;
}
