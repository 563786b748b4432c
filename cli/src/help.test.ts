import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trackway } from './testing/trackway.ts';

const COMMANDS = [[], ['serve'], ['doctor'], ['user'], ['backup'], ['outbox'], ['outbox', 'resend'], ['call']].concat(
  ['list', 'add', 'password', 'remove'].map((name) => ['user', name]),
  [['call', 'createGeofence']],
);

for (const words of COMMANDS) {
  const called = ['trackway', ...words].join(' ');
  test(`${called} has help and a version`, async () => {
    const [help, version] = await Promise.all([trackway([...words, '--help']), trackway([...words, '--version'])]);
    assert.equal(help.code, 0, help.err);
    assert.match(help.out, new RegExp(`^Usage: ${called} ?`, 'm'));
    assert.match(help.out, /--version/);
    assert.ok(
      help.out.split('\n').every((line) => line.length <= 110),
      'no line is endless',
    );
    assert.deepEqual([version.code, version.out], [0, 'trackway 0.1.0\n']);
  });
}

test('an unknown command or flag is reported with the most similar name, and exit code 2', async () => {
  const cases: [words: string[], sentence: string][] = [
    [['srve'], 'Unknown command "srve". Did you mean serve?'],
    [['xyzzy'], 'Unknown command "xyzzy".'],
    [['user', 'ad'], 'Unknown command "ad". Did you mean add?'],
    [['serve', '--prot', '1'], 'Unknown flag --prot. Did you mean --port?'],
    [['serve', '--port'], '--port requires a value: NUMBER.'],
    [['serve', '--port', '--host', 'x'], '--port requires a value: NUMBER.'],
    [['serve', '--port', '1', '--port', '2'], '--port was given more than once.'],
    [['serve', 'now'], 'Unexpected argument "now".'],
    [['backup'], 'Missing argument: <file>.'],
    [['user', 'add'], 'Missing argument: <email>.'],
  ];
  for (const [words, sentence] of cases) {
    const { code, out, err } = await trackway(words);
    assert.deepEqual([code, out, err.split('\n')[0]], [2, '', sentence]);
  }
});

test('without a command it shows the help and fails', async () => {
  const { code, err } = await trackway([]);
  assert.equal(code, 2);
  assert.match(err, /^Usage: trackway <command>/m);
});
