import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { has, run } from './run.ts';

/** Each generator: what it needs on the machine, how it makes a client, and how that client is run. */

export const ROOT = new URL('..', import.meta.url).pathname;
/** Everything that is installed or generated here. */
export const WORK = join(ROOT, 'work');

export interface Generator {
  readonly name: string;
  /** What is missing on this machine; undefined if nothing is. */
  missing(): Promise<string | undefined>;
  /** @param document the file of the OpenAPI document of version 1 */
  generate(document: string, base: string): Promise<void>;
  /** Prints a line for each of the nine operations. */
  call(environment: Record<string, string>): Promise<string>;
}

const OPENAPI_GENERATOR = '7.14.0';
const inModules = (program: string) => join(ROOT, 'node_modules/.bin', program);
const python = join(WORK, 'venv/bin/python');

async function withPython(): Promise<string | undefined> {
  if (!(await has('python3'))) return 'Python 3 is not installed';
  if (existsSync(python)) return undefined;
  try {
    await run('python3', ['-m', 'venv', join(WORK, 'venv')], ROOT);
    await run(python, ['-m', 'pip', 'install', '--quiet', '-r', join(ROOT, 'requirements.txt')], ROOT);
    return undefined;
  } catch (error) {
    return `the packages for Python could not be installed: ${(error as Error).message}`;
  }
}

/** Checks the types of a client in TypeScript, then runs it. */
async function runNode(client: string, environment: Record<string, string>): Promise<string> {
  const project = join(WORK, `tsconfig.${client}.json`);
  await writeFile(project, JSON.stringify({ extends: '../tsconfig.json', include: [`../clients/${client}`] }));
  await run(inModules('tsc'), ['-p', project], ROOT);
  return run(process.execPath, ['--no-warnings', join(ROOT, 'clients', client)], ROOT, environment);
}

const jar = join(WORK, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);

async function withJar(): Promise<string | undefined> {
  if (!(await has('java', ['-version']))) return 'Java is not installed';
  if (existsSync(jar)) return undefined;
  if (!(await has('mvn'))) return `Maven is not installed, and ${jar} is not there`;
  const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`;
  try {
    await run('mvn', ['-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${WORK}`], ROOT);
    return undefined;
  } catch (error) {
    return `Maven could not fetch ${artifact}: ${(error as Error).message.slice(-500)}`;
  }
}

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    missing: async () => undefined,
    generate: async (document) => {
      await run(inModules('openapi-typescript'), [document, '-o', join(WORK, 'openapi-typescript.d.ts')], ROOT);
    },
    call: (environment) => runNode('openapi-fetch.ts', environment),
  },
  {
    name: 'orval',
    missing: async () => undefined,
    generate: async (document, base) => {
      const options = { DOCUMENT: document, TARGET: join(WORK, 'orval.ts'), BASE: base };
      await run(inModules('orval'), ['--config', join(ROOT, 'orval.config.mjs')], ROOT, options);
    },
    call: (environment) => runNode('orval.ts', environment),
  },
  {
    name: 'openapi-python-client',
    missing: withPython,
    generate: async (document) => {
      const to = join(WORK, 'trackway_python_client');
      const config = join(ROOT, 'openapi-python-client.yaml');
      const options = ['generate', '--path', document, '--meta', 'none', '--output-path', to, '--overwrite'];
      const said = await run(join(WORK, 'venv/bin/openapi-python-client'), [...options, '--config', config], ROOT);
      if (/will not be generated|Unable to|unsupported/i.test(said)) throw new Error(said);
    },
    call: (environment) =>
      run(python, [join(ROOT, 'clients/by_openapi_python_client.py')], WORK, { ...environment, PYTHONPATH: WORK }),
  },
  {
    name: 'openapi-generator, for Python',
    missing: async () => (await withPython()) ?? (await withJar()),
    generate: async (document) => {
      const to = join(WORK, 'openapi-generator');
      const options = ['generate', '-g', 'python', '-i', document, '-o', to, '--package-name', 'trackway_client'];
      await run('java', ['-jar', jar, ...options], ROOT);
    },
    call: (environment) =>
      run(python, [join(ROOT, 'clients/by_openapi_generator.py')], WORK, {
        ...environment,
        PYTHONPATH: join(WORK, 'openapi-generator'),
      }),
  },
];
