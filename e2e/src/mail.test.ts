import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { onEitherEngine } from './harness/engines.ts';
import { openMailbox } from './harness/mailbox.ts';
import { logIn, PASSWORD } from './harness/people.ts';
import { makeStation, type Station } from './harness/station.ts';
import { connectTracker } from './harness/tracker.ts';

const mailbox = await openMailbox();
after(() => mailbox.close());

const tokenIn = (link: string) => link.split('#')[1]!;
const NEW_PASSWORD = 'another password for tests';

onEitherEngine(
  'accounts by mail',
  (running) => {
    let station: Station;
    before(async () => {
      station = await makeStation(running.api);
    });
    const at = (name: string) => `${name}.${running.engine}@example.org`;
    const anyone = async (path: string, body: object) => running.api('POST', `/api${path}`, { body });

    test('a device shared with a stranger is theirs to see once they chose a password', async () => {
      const { owner, device } = station;
      const email = at('stranger');
      const share = await owner.make(`/devices/${device}/shares`, { email, rights: 'manage' });
      assert.deepEqual([share.email, share.userId], [email, null]);
      const token = tokenIn(await mailbox.linkTo(email, '/invitation'));
      const body = { token, password: PASSWORD, name: 'A stranger' };
      const accepted = await anyone('/invitations/accept', body);
      assert.equal(accepted.status, 200, accepted.text);
      const seen = await running.api('GET', `/api/devices/${device}/access`, { token: accepted.body.id });
      assert.equal(seen.body.right, 'manage');
      assert.equal((await anyone('/invitations/accept', body)).status, 403, 'the link works once');
      const left = await running.api('DELETE', `/api/devices/${device}/shares/${seen.body.shareId}`, {
        token: accepted.body.id,
      });
      assert.equal(left.status, 204, left.text);
      assert.deepEqual((await owner.get(`/devices/${device}/shares`)).body, []);
    });

    test('a forgotten password is set anew by the link in a mail', async () => {
      const { admin } = station;
      const email = at('forgetful');
      await admin.make('/users', { email, password: PASSWORD });
      const session = await logIn(running.api, email);
      for (const asked of [email, at('nobody')]) {
        const { status, text } = await anyone('/users/reset', { email: asked });
        assert.deepEqual([status, text], [204, '']);
      }
      const token = tokenIn(await mailbox.linkTo(email, '/reset'));
      assert.equal((await anyone('/users/reset-password', { token, newPassword: NEW_PASSWORD })).status, 204);
      assert.equal((await running.api('GET', '/api/users/me', { token: session })).status, 401);
      await logIn(running.api, email, NEW_PASSWORD);
      await mailbox.mailTo(email, /Your password was changed/);
      assert.ok(!mailbox.mails.some(({ to }) => to === at('nobody')));
      assert.ok(!running.server.output().includes(token), 'no token is in a log');
    });

    test('a new address counts when the link mailed to it was followed', async () => {
      const { admin } = station;
      const [old, email] = [at('old'), at('new')];
      await admin.make('/users', { email: old, password: PASSWORD });
      const token = await logIn(running.api, old);
      const body = { email, currentPassword: PASSWORD };
      const changed = await running.api('PUT', '/api/users/me', { token, body });
      assert.deepEqual([changed.body.email, changed.body.newEmail], [old, email]);
      await mailbox.mailTo(old, /is being changed/);
      const confirmed = await anyone('/users/confirm', { token: tokenIn(await mailbox.linkTo(email, '/confirm')) });
      assert.deepEqual(confirmed.body, { email });
      const me = (await running.api('GET', '/api/users/me', { token })).body;
      assert.deepEqual([me.email, me.newEmail], [email, null]);
      assert.ok(me.emailConfirmedAt);
    });

    test('notifications go to another address only after its reader has agreed', async () => {
      const { owner } = station;
      const email = at('reader');
      const { id, deviceKey } = await owner.make('/devices', { name: 'Boat https://evil.example/x' });
      await owner.make(`/devices/${id}/notificationTriggers`, {
        type: 'button',
        delivery: { email: true },
        parameters: { email },
      });
      const press = async () => {
        const headers = { authorization: `Bearer ${deviceKey}` };
        // Each with a time of its own: a report that comes again is stored once.
        const points = [{ alertType: 8, timestamp: new Date().toISOString() }];
        await running.api('POST', '/ingest/reports', { headers, body: { points } });
      };
      const deliveries = async () =>
        (await owner.get('/users/me/deliveries')).body.filter(
          ({ what, deviceId }: { what: string; deviceId: number }) => what === 'notification' && deviceId === id,
        );
      await press();
      const [first] = await eventually('the button is recorded', deliveries, (all) => all.length === 1);
      assert.equal(first.status, 'suppressed');
      assert.match(first.reason, /has not agreed/);
      const token = tokenIn(await mailbox.linkTo(email, '/mail'));
      assert.deepEqual((await anyone('/mail/answer', { token, allow: true })).body, { email, allow: true });
      await press();
      const mail = await mailbox.mailTo(email, /button/);
      assert.doesNotMatch(mail.text, /evil\.example/);
      assert.equal(mailbox.mails.filter(({ to }) => to === email).length, 2, 'the asking, and one notification');
      assert.equal((await anyone('/mail/answer', { token, allow: false })).status, 200);
      await press();
      const all = await eventually('the last one is recorded', deliveries, (found) => found.length === 3);
      assert.match(all.at(-1).reason, /has declined e-mail/);
    });

    test('where people can join by invitation, an identity of a user waits for an admin', async () => {
      const { owner, other, admin } = station;
      const imei = '356307042441013';
      const [first, second] = [owner, other].map((user) => user.make('/devices', { imei, allowKeyless: true }));
      assert.deepEqual([(await first).identityPending, (await second).identityPending], [true, true]);
      const report = () => fetch(`${running.api.address}/?id=${imei}&lat=50&lon=8`);
      assert.equal((await report()).status, 404);
      const { id } = await second!;
      const approved = await admin.post(`/devices/${id}/identity`, { identifier: imei });
      assert.deepEqual([approved.status, approved.body.identityPending], [200, false]);
      assert.equal((await report()).status, 200);
      assert.equal((await other.get(`/devices/${id}/points/count`)).body.count, 1);
      assert.equal((await admin.make('/devices', { imei: '356307042441021' })).identityPending, false);
    });

    test('the owner of a tracker is mailed once about a second connection with its identity', async (t) => {
      const { admin } = station;
      const imei = imeiOf(900);
      const { id } = await admin.make('/devices', { name: 'Contested van', imei, allowKeyless: true });
      // The protocol has whole seconds, and the same second is the same position.
      const startAt = Date.now() - 10_000;
      const point = (second: number) => ({
        timestamp: startAt + second * 1000,
        location: { lat: 50, lng: 8 },
        speed: 0,
      });
      const connections = [];
      for (const second of [0, 1]) {
        const connection = await connectTracker(t, gt06, imei, running.server.trackersPort);
        connections.push(connection);
        await connection.logIn();
        connection.report([point(second)]);
        await connection.confirmed(1);
      }
      connections[0]!.report([point(2)]);
      const mail = await mailbox.mailTo(admin.email, /Contested van/);
      assert.match(mail.text, /gt06 over TCP from 127\.0\.0\.1/);
      assert.match(mail.text, new RegExp(`/devices/${id}\\b`));
      connections[1]!.report([point(3)]);
      await eventually('all are stored', async () => (await admin.get(`/devices/${id}/points/count`)).body.count === 4);
      assert.equal(mailbox.mails.filter(({ text }) => text.includes('Contested van')).length, 1);
    });

    test('an admin invites a person; the record of deliveries never holds a link', async () => {
      const { admin } = station;
      const email = at('invited');
      const { id } = await admin.make('/invitations', { email, name: 'Jane' });
      const first = tokenIn(await mailbox.linkTo(email, '/invitation'));
      await admin.post(`/invitations/${id}/resend`, {});
      const second = await eventually(
        'a second mail arrives',
        async () => tokenIn(await mailbox.linkTo(email, '/invitation')),
        (token) => token !== first,
      );
      assert.equal((await anyone('/invitations/accept', { token: first, password: PASSWORD })).status, 403);
      const accepted = await anyone('/invitations/accept', { token: second, password: PASSWORD });
      assert.equal(accepted.status, 200, accepted.text);
      const me = await running.api('GET', '/api/users/me', { token: accepted.body.id });
      assert.deepEqual([me.body.email, me.body.name, me.body.admin], [email, 'Jane', false]);
      const record = (await admin.get('/users/me/deliveries')).text;
      assert.match(record, /"account"/);
      for (const secret of [first, second]) assert.ok(!record.includes(secret));
      assert.deepEqual((await admin.get('/invitations')).body, []);
    });

    test('a report reaches a person who agreed, until they stop it', async () => {
      const { owner } = station;
      const email = at('subscriber');
      const report = { name: 'Weekly', kind: 'days', period: 'lastWeek', format: 'pdf', recipients: [email] };
      const { id } = await owner.make('/users/me/savedReports', report);
      const agree = tokenIn(await mailbox.linkTo(email, '/mail'));
      const send = async () => (await owner.post(`/users/me/savedReports/${id}/send`)).body.lastResult;
      assert.match(await send(), /has not agreed/);
      assert.equal((await anyone('/mail/answer', { token: agree, allow: true })).status, 200);
      assert.equal(await send(), 'sent');
      await mailbox.mailTo(email, /application\/pdf/);
      const stop = tokenIn(await mailbox.linkTo(email, '/mail/reports'));
      assert.equal((await anyone('/mail/answer', { token: stop, allow: false })).status, 200);
      assert.match(await send(), /stopped your reports/);
      const states = (await owner.get('/users/me/reportRecipients')).body;
      assert.equal(states.find(({ address }: { address: string }) => address === email).state, 'declined');
    });

    test('settings of the operator come before what admins enter', async () => {
      const [mail] = (await station.admin.get('/channels')).body;
      assert.deepEqual([mail.channel, mail.missing, mail.fields[0].fixedBy], ['email', null, 'TRACKWAY_SMTP_URL']);
      assert.ok(!JSON.stringify(mail).includes(mailbox.url));
    });
  },
  {
    TRACKWAY_SMTP_URL: mailbox.url,
    TRACKWAY_SMTP_FROM: 'Trackway <track@example.org>',
    TRACKWAY_PUBLIC_URL: 'http://trackway.example.org',
  },
);
