import type { TabToken } from '@trackway/contract/resources/accounts/browser-session.ts';

/** What a browser does with the cookie of the console, without a browser. */
export interface SessionAnswer {
  readonly status: number;
  /** The header as it was sent; undefined where none was. */
  readonly setCookie: string | undefined;
  /** `name=value`, for the next request; undefined where no cookie was set or it was taken back. */
  readonly cookie: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a tab's token or an error, which the tests look into.
  readonly body: any & Partial<TabToken>;
}

export async function askSession(
  address: string,
  path: string,
  body: unknown = {},
  headers: Record<string, string> = {},
): Promise<SessionAnswer> {
  const answer = await fetch(address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  const setCookie = answer.headers.get('set-cookie') ?? undefined;
  return {
    status: answer.status,
    setCookie,
    cookie: /^\w+=\w+/.exec(setCookie ?? '')?.[0],
    body: text === '' ? undefined : JSON.parse(text),
  };
}
