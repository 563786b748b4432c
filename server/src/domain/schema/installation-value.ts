import type { Store } from './tables.ts';

/**
 * What this installation keeps under a name; where there is nothing yet, what is made is kept. Of several processes that
 * start at once, all get what the first of them made.
 */
export async function installationValue(
  store: Pick<Store, 'query'>,
  name: string,
  make: () => string,
): Promise<string> {
  const read = () => store.query.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  const there = await read();
  if (there !== undefined) return there.value;
  await store.query
    .insertInto('settings')
    .values({ name, value: make() })
    .onConflict((on) => on.column('name').doNothing())
    .execute();
  return (await read())!.value;
}

/** A text that this installation keeps under a name, and changes. */
export const installationText = ({ query }: Pick<Store, 'query'>, name: string) => ({
  async load(): Promise<string | undefined> {
    return (await query.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value;
  },
  async save(value: string): Promise<void> {
    await query
      .insertInto('settings')
      .values({ name, value })
      .onConflict((on) => on.column('name').doUpdateSet({ value }))
      .execute();
  },
});
