import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const LIST = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
      if (name) packages.add(name);
      return next(url, context);
    },
  });
  await import('${import.meta.resolve('./start.ts')}');
  console.log(JSON.stringify([...packages]));`;

test('a server loads no package for what is not configured', () => {
  const loaded: string[] = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', LIST], { encoding: 'utf8' }),
  );
  assert.ok(loaded.includes('fastify'));
  for (const name of [
    '@aws-sdk/client-sqs',
    '@simplewebauthn/server',
    'hyparquet',
    'hyparquet-writer',
    'mqtt',
    'nodemailer',
    'openid-client',
    'pdfkit',
    'pg',
    're2js',
    'web-push',
  ])
    assert.ok(!loaded.includes(name), name);
});
