import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CannotOpen, createVault, isSealed, keyOfSecret, newKey } from './vault.ts';

describe('vault', () => {
  const vault = createVault([newKey()]);

  it('gives back what was sealed, and shows nothing of it', () => {
    for (const text of ['', 'whsec_abc', 'schlüssel 🔑', 'x'.repeat(10_000)]) {
      const sealed = vault.seal(text, 'devices.secret:1');
      assert.equal(vault.open(sealed, 'devices.secret:1'), text);
      assert.ok(isSealed(sealed) && vault.isCurrent(sealed));
      if (text !== '') assert.ok(!sealed.includes(text));
      assert.notEqual(vault.seal(text, 'devices.secret:1'), sealed);
    }
  });

  it('opens nothing that was moved to another place or changed', () => {
    const sealed = vault.seal('secret', 'devices.secret:1');
    assert.throws(() => vault.open(sealed, 'devices.secret:2'), CannotOpen);
    const changed = sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + sealed.at(-1);
    assert.throws(() => vault.open(changed, 'devices.secret:1'), CannotOpen);
  });

  it('returns what an earlier version stored in plain', () => {
    assert.equal(vault.open('plain', 'devices.secret:1'), 'plain');
    assert.equal(vault.isCurrent('plain'), false);
  });

  it('opens what an older key sealed as long as it has that key', () => {
    const [old, current] = [newKey(), newKey()];
    const sealed = createVault([old]).seal('secret', 'x');
    const rotating = createVault([current, old]);
    assert.equal(rotating.open(sealed, 'x'), 'secret');
    assert.equal(rotating.isCurrent(sealed), false);
    assert.throws(
      () => createVault([current]).open(sealed, 'x'),
      /The key [0-9a-f]{8} is missing, but x is encrypted with it/,
    );
  });

  it('makes the same key of the same passphrase', () => {
    const sealed = createVault([keyOfSecret('a long passphrase')]).seal('secret', 'x');
    assert.equal(createVault([keyOfSecret('a long passphrase')]).open(sealed, 'x'), 'secret');
  });
});
