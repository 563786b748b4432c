import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_SAVED_REPORTS } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import { SearchTooLong } from '../../platform/storage/database.ts';
import { createVault, newKey } from '../../platform/vault.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, shareWith } from '../../testing/people.ts';
import { recipientOperations } from '../delivery/recipients.ts';
import { barredAmong } from '../delivery/send-guard.ts';
import { DEFAULT_POLICY } from '../delivery/sending-policy.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { eraseSentMail } from '../users/mailings.ts';
import { type ReportFileWanted, reportFile } from './files/report-file.ts';
import { savedReportOperations } from './saved-operations.ts';
import { reportSender } from './send-report.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

const at = (text: string) => Date.parse(text);
/** A Wednesday. */
const NOW = at('2026-06-03T10:00:00Z');
const WEEKLY = {
  ...{ name: 'Week', kind: 'days', period: 'lastWeek', every: 'week', time: '07:00', timeZone: 'Europe/Berlin' },
  // As the contract has them by default.
  ...{ format: 'csv', weekday: 1, monthday: 1 },
};

onEitherEngine<Tables>('saved reports', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const reader = await makeUser(store, 'reader@example.com');
    await store.query.updateTable('users').set({ emailConfirmedAt: 1 }).execute();
    const van = await makeDevice(store, owner.userId, { name: '<Van>' });
    const start = at('2026-05-27T08:00:00Z');
    await store.query
      .insertInto('trips')
      .values({
        ...{ deviceId: van, start, end: start + 3_600_000, distance: 4000, duration: 3600, idle: 60, maxSpeed: 80 },
        ...{ averageSpeed: 40, startLocationLat: 50, startLocationLng: 8, endLocationLat: 51, endLocationLng: 9 },
        ...{ startPointId: 1, endPointId: 2, decidedAt: start },
      })
      .execute();
    // Here rather than on a thread, which has a deadline.
    let isBusy = false;
    const fileOf = async (wanted: ReportFileWanted) => {
      if (isBusy) throw new SearchTooLong();
      return reportFile.read(store, wanted);
    };
    const setBusy = (is: boolean) => {
      isBusy = is;
    };
    const publicUrl = 'https://track.example.com';
    const policy = { ...DEFAULT_POLICY, publicUrl, mail: { canAsk: true, toOthersPerDay: 2 } };
    const vault = createVault([newKey()]);
    const sender = reportSender(store, policy, vault, fileOf);
    const operations = savedReportOperations(store, sender, policy);
    const { answerMailRequest } = recipientOperations(store, vault);
    /** Answers by the link in a mail. */
    const answer = ({ text }: { text: string }, allow: boolean): Promise<Answer> =>
      answerMailRequest(
        callOf(owner, { body: { token: /#(\S+)/.exec(text)![1]!, allow } as never, now: NOW }) as never,
      ) as never;
    const save = (body: object, who = owner): Promise<Answer> =>
      operations.createSavedReport(callOf(who, { body: body as never, now: NOW }) as never);
    const mails = async () =>
      (await store.query.selectFrom('outbox').selectAll().where('what', '=', 'report').orderBy('id').execute()).map(
        (row) => ({ ...row, content: JSON.parse(row.content) as Answer }),
      );
    const read = async (id: number, who = owner): Promise<Answer> =>
      JSON.parse(((await operations.getSavedReport(callOf(who, { key: id }) as never)) as { text: string }).text);
    return { store, owner, reader, van, sender, operations, save, mails, read, setBusy, answer };
  }

  test('one is mailed at its time with its file, once, and what was missed is sent once', async () => {
    const { sender, save, mails, read } = await setting();
    const { id, nextAt } = await save(WEEKLY);
    assert.equal(nextAt, '2026-06-08T05:00:00.000Z', 'Monday at seven in Berlin');
    assert.equal(await sender.sendDue(at(nextAt) - 1), false);
    assert.equal((await mails()).length, 0);
    // Two weeks later: the server was down.
    const late = at('2026-06-17T09:00:00Z');
    assert.deepEqual(await Promise.all([sender.sendDue(late), sender.sendDue(late)]).then((sent) => sent.sort()), [
      false,
      true,
    ]);
    await sender.sendDue(late + 1000);
    const sent = await mails();
    assert.equal(sent.length, 1);
    const { address, channel, content } = sent[0]!;
    assert.deepEqual([address, channel], ['owner@example.com', 'email']);
    assert.match(content.subject, /^Week: 8\s*–\s*14 Jun 2026$/u);
    const after = await read(id);
    assert.deepEqual([after.nextAt, after.lastResult], ['2026-06-22T05:00:00.000Z', 'sent']);
    assert.equal(after.lastAt, new Date(late).toISOString());
  });

  test('one that takes too long is tried again, for the time it was due', async () => {
    const { sender, save, mails, read, setBusy } = await setting();
    const { id, nextAt } = await save(WEEKLY);
    const due = at(nextAt);
    setBusy(true);
    assert.equal(await sender.sendDue(due), false);
    const waiting = await read(id);
    assert.deepEqual([waiting.nextAt, (await mails()).length], [new Date(due + 5 * 60_000).toISOString(), 0]);
    assert.match(waiting.lastResult, /too busy/);
    setBusy(false);
    assert.equal(await sender.sendDue(due + 5 * 60_000), true);
    assert.match((await mails())[0]!.content.subject, /^Week: 1\s*–\s*7 Jun 2026$/u);
    assert.equal((await read(id)).nextAt, '2026-06-15T05:00:00.000Z');
  });

  test('it contains a table and a file, where names are never markup', async () => {
    const { operations, owner, save, mails } = await setting();
    const { id } = await save({ ...WEEKLY, every: 'never', columns: ['name', 'distance'] });
    const answer = (await operations.sendSavedReport(callOf(owner, { key: id, now: NOW }) as never)) as {
      text: string;
    };
    assert.equal(JSON.parse(answer.text).lastResult, 'sent');
    assert.equal(JSON.parse(answer.text).nextAt, null);
    const [{ content }] = (await mails()) as [Answer];
    assert.match(content.html, /<td[^>]*>&lt;Van&gt;<\/td><td[^>]*>4<\/td>/);
    assert.match(content.html, /https:\/\/track\.example\.com\/reports/);
    const [file] = content.attachments;
    assert.equal(file.name, 'days-2026-05-25-to-2026-05-31.csv');
    assert.equal(Buffer.from(file.base64, 'base64').toString('utf8'), '\u{feff}Device,Distance (km)\r\n<Van>,4\r\n');
    const { id: book } = await save({ ...WEEKLY, every: 'never', format: 'xlsx' });
    await operations.sendSavedReport(callOf(owner, { key: book, now: NOW }) as never);
    const [, { content: second }] = (await mails()) as [Answer, Answer];
    assert.match(second.attachments[0].name, /\.xlsx$/);
    assert.equal(Buffer.from(second.attachments[0].base64, 'base64').toString('latin1', 0, 2), 'PK');
  });

  test('rights are asked when it is made, and again until it is sent', async () => {
    const { store, reader, van, operations, save, mails, read } = await setting();
    await shareWith(store, van, reader.userId, 'view');
    const { id } = await save({ ...WEEKLY, every: 'never', deviceIds: [van] }, reader);
    const send = () => operations.sendSavedReport(callOf(reader, { key: id, now: NOW }) as never);
    const mayGo = async () => {
      const ids = (await store.query.selectFrom('outbox').select('id').orderBy('id').execute()).map(({ id }) => id);
      const barred = await barredAmong(store.query, ids);
      return ids.map((id) => !barred.has(id));
    };
    await send();
    assert.deepEqual(await mayGo(), [true]);
    await store.query.deleteFrom('shares').execute();
    assert.deepEqual(await mayGo(), [false], 'it waited, and the right has ended');
    await send();
    assert.equal((await mails()).length, 1, 'no second one');
    assert.match((await read(id, reader)).lastResult, /deviceIds names something you have no access to/);
  });

  test('it is in the units and the language of its user', async () => {
    const { store, owner, operations, save, mails } = await setting();
    const units = JSON.stringify({ distance: 'imperial', length: 'imperial', temperature: 'fahrenheit' });
    await store.query.updateTable('users').set({ units, language: 'de' }).where('id', '=', owner.userId).execute();
    const { id } = await save({ ...WEEKLY, every: 'never', columns: ['distance', 'duration', 'maxSpeed'] });
    await operations.sendSavedReport(callOf(owner, { key: id, now: NOW }) as never);
    const [{ content }] = (await mails()) as [Answer];
    const file = Buffer.from(content.attachments[0].base64, 'base64').toString();
    assert.equal(file, '\u{feff}Strecke (mi),Dauer (h),Höchsttempo (mph)\r\n2.5,1,50\r\n');
    assert.match(content.text, /Strecke \(mi\): 2,5 \| Dauer \(h\): 1/);
  });

  test('an address that is not confirmed gets none, and what was sent is erased', async () => {
    const { store, owner, operations, save, mails, read } = await setting();
    const { id } = await save({ ...WEEKLY, every: 'never' });
    await operations.sendSavedReport(callOf(owner, { key: id, now: NOW }) as never);
    await store.query.updateTable('outbox').set({ state: 'sent', ended: NOW }).execute();
    await eraseSentMail(store);
    assert.deepEqual(
      (await mails()).map(({ content }) => content),
      [{}],
    );
    await store.query.updateTable('users').set({ emailConfirmedAt: null }).execute();
    await operations.sendSavedReport(callOf(owner, { key: id, now: NOW }) as never);
    assert.equal((await mails()).length, 1);
    assert.match((await read(id)).lastResult, /not confirmed/);
  });

  test('each recipient is confirmed, and can stop the reports by a link in each of them', async () => {
    const { store, owner, operations, save, mails, read, answer } = await setting();
    const recipients = ['Owner@example.com', 'reader@example.com', 'guest@example.org'];
    await assert.rejects(save({ ...WEEKLY, recipients: ['nobody'] }), { statusCode: 422 });
    const { id } = await save({ ...WEEKLY, recipients });
    const states = async () =>
      Object.fromEntries(
        ((await operations.listReportRecipients(callOf(owner) as never)) as Answer).map((one: Answer) => [
          one.address.split('@')[0],
          one.state,
        ]),
      );
    assert.deepEqual(await states(), { owner: 'confirmed', reader: 'confirmed', guest: 'waiting' });
    const send = () => operations.sendSavedReport(callOf(owner, { key: id, now: NOW }) as never);
    await send();
    assert.deepEqual(
      (await mails()).map(({ address }) => address),
      ['owner@example.com', 'reader@example.com'],
    );
    assert.match((await read(id)).lastResult, /^sent to 2 of 3: guest@example\.org has not agreed/);
    const asked = await store.query.selectFrom('outbox').selectAll().where('what', '=', 'account').execute();
    assert.deepEqual(
      asked.map(({ address }) => address),
      ['guest@example.org'],
      'asked once, when the report was saved',
    );
    await answer(JSON.parse(asked[0]!.content), true);
    await send();
    assert.equal((await read(id)).lastResult, 'sent');
    assert.deepEqual((await states()).guest, 'confirmed');
    const [own, , , , toGuest] = await mails();
    assert.match(own!.content.html, /https:\/\/track\.example\.com\/reports"/);
    assert.doesNotMatch(toGuest!.content.html, /\.com\/reports"/, 'a page for users');
    assert.match(toGuest!.content.text, /owner at example\. com sends you this report/);
    assert.match(toGuest!.content.text, /Stop receiving these reports: https:\/\/track\.example\.com\/mail\/reports#/);
    assert.deepEqual(await answer(toGuest!.content, false), { email: 'guest@example.org', allow: false });
    assert.equal((await mails()).at(-1)!.state, 'cancelled', 'what waits is not sent');
    assert.equal((await states()).guest, 'declined');
    await answer(toGuest!.content, true);
    assert.equal((await states()).guest, 'confirmed');
    await assert.rejects(answer({ text: `#sealed:00000000:${'a'.repeat(50)}` }, false), { statusCode: 403 });
    // Three were mailed to others, which is more than the limit of a day.
    await send();
    assert.match((await read(id)).lastResult, /^sent to 1 of 3: .*limit/);
  });

  test('one of certain days stays with them, and is mailed on request', async () => {
    const { owner, operations, save, mails, sender } = await setting();
    const days = { ...WEEKLY, every: 'never', period: 'days', firstDay: '2026-05-27', lastDay: '2026-05-27' };
    const { id, nextAt, firstDay, lastDay } = await save(days);
    assert.deepEqual([nextAt, firstDay, lastDay], [null, '2026-05-27', '2026-05-27']);
    // Half a year later.
    const now = at('2026-12-01T10:00:00Z');
    assert.equal(await sender.sendDue(now), false);
    await operations.sendSavedReport(callOf(owner, { key: id, now }) as never);
    const [{ content }] = (await mails()) as [Answer];
    assert.equal(content.attachments[0].name, 'days-2026-05-27.csv');
    assert.match(content.text, /Distance \(km\): 4 /);
    const change = (body: object): Promise<Answer> =>
      operations.updateSavedReport(callOf(owner, { key: id, body: body as never, now: NOW }) as never) as never;
    const moving = await change({ period: 'week' });
    assert.deepEqual([moving.period, moving.firstDay, moving.lastDay], ['week', null, null]);
    await assert.rejects(change({ period: 'days' }), { statusCode: 422 });
    for (const wrong of [
      { firstDay: null },
      { firstDay: '2026-02-30' },
      { lastDay: '2026-05-26' },
      { lastDay: '2026-08-28' },
      { every: 'week' },
    ])
      await assert.rejects(save({ ...days, ...wrong }), { statusCode: 422 });
    await save({ ...days, lastDay: '2026-08-27' });
  });

  test('what makes no sense is refused, and there are not endlessly many', async () => {
    const { reader, save, operations } = await setting();
    for (const wrong of [
      { groupId: 1 },
      { groupId: 1, tag: 'x' },
      { columns: ['share'] },
      { timeZone: 'Mars/Olympus' },
    ])
      await assert.rejects(save({ ...WEEKLY, ...wrong }), { statusCode: 422 });
    const { id } = await save(WEEKLY);
    const never = { key: id, body: { every: 'never' }, now: NOW };
    await assert.rejects(async () => operations.updateSavedReport(callOf(reader, never as never) as never), {
      statusCode: 404,
    });
    for (let count = 1; count < MOST_SAVED_REPORTS; count++) await save(WEEKLY);
    await assert.rejects(save(WEEKLY), { statusCode: 422 });
  });
});
