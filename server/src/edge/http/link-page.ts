import { ORIGIN } from '@trackway/contract/resources/link.ts';

/** The sites that may show the page of a link in a frame. */
export type LinkFrames = (handle: string, now: number) => Promise<readonly string[]>;

/** The page is for those who were given the link, not for those who search. */
export const NO_INDEX = 'noindex, nofollow, noarchive';

const SITE = new RegExp(ORIGIN);

/** The policy of the console, but these sites may show the page in a frame. What is no site is left out. */
export function framedBy(policy: string, sites: readonly string[]): string {
  const allowed = sites.filter((site) => SITE.test(site));
  return allowed.length === 0
    ? policy
    : policy.replace("frame-ancestors 'none'", `frame-ancestors ${allowed.join(' ')}`);
}
