import { happenedTo } from '@trackway/contract/wording/sentence.ts';
import { isMetric, type Units } from '@trackway/contract/wording/units.ts';
import { LANGUAGE, LOCALE } from '../language.ts';
import { t } from '../texts/t.ts';

/**
 * The sentence of a notification in the language and units of the viewer. The server's own message is in English and
 * metric units: it is used for viewers with these settings, and where the device is not known. What was sent to the
 * user is shown as it was sent, though this version may word it differently.
 */
export function happenedIn(params: Readonly<Record<string, unknown>>, units: Units): string {
  const message = String(params.message ?? params.type ?? '');
  const { sent } = params as { sent?: { language: string; units: Units; sentence: string } };
  if (sent?.language === LANGUAGE && isSame(sent.units, units)) return sent.sentence;
  const { deviceName: device } = (params.meta ?? {}) as { deviceName?: unknown };
  if (typeof device !== 'string' || (LANGUAGE === 'en' && isMetric(units))) return message;
  return happenedTo({ device, params }, { messages: t, locale: LOCALE, units });
}

const isSame = (a: Units, b: Units) =>
  a.distance === b.distance && a.length === b.length && a.temperature === b.temperature;
