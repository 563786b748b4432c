import { ORIGIN } from '@trackway/contract/resources/link.ts';
import { placeInText } from '../set-place.ts';

/** The form state of a link. */
export interface LinkDraft {
  readonly time: LinkTime;
  readonly trail: boolean;
  readonly name: string;
  readonly destination: string;
  readonly destinationName: string;
  readonly origins: string;
}

const HOUR_MS = 3_600_000;
const TIMES = { hour: 1, hours: 8, day: 24, week: 7 * 24, month: 30 * 24 };
export type LinkTime = keyof typeof TIMES;
export const LINK_TIMES = Object.keys(TIMES) as LinkTime[];

export const NEW_LINK: LinkDraft = {
  time: 'day',
  trail: false,
  name: '',
  destination: '',
  destinationName: '',
  origins: '',
};

const SITE = new RegExp(ORIGIN);
const sitesIn = (text: string) =>
  text
    .split(/\s+/)
    .map((line) => line.replace(/\/+$/, ''))
    .filter(Boolean);

/** Which fields say nothing that can be used. */
export const wrongIn = ({ origins }: LinkDraft) => ({
  origins: !sitesIn(origins).every((site) => SITE.test(site)),
});

/** The request body that creates it. */
export function linkBodyOf(draft: LinkDraft, now: number) {
  const place = placeInText(draft.destination);
  const origins = sitesIn(draft.origins);
  return {
    expiresAt: new Date(now + TIMES[draft.time] * HOUR_MS).toISOString(),
    trail: draft.trail,
    ...(draft.name.trim() && { name: draft.name.trim() }),
    ...(place && { destination: place }),
    ...(place && draft.destinationName.trim() && { destinationName: draft.destinationName.trim() }),
    ...(origins.length > 0 && { origins }),
  };
}
