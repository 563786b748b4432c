import { happenedTo } from '@trackway/contract/wording/sentence.ts';
import { isMetric, type Units } from '@trackway/contract/wording/units.ts';
import { LANGUAGE, LOCALE } from '../language.ts';
import { t } from '../texts/t.ts';

/**
 * What a notification says, in the language and units of the viewer. The server's own message is in English and metric
 * units: for those who read that, and for notifications of earlier versions, which do not name the device beside it.
 */
export function happenedIn(params: Readonly<Record<string, unknown>>, units: Units): string {
  const message = String(params.message ?? params.type ?? '');
  const { deviceName: device } = (params.meta ?? {}) as { deviceName?: unknown };
  if (typeof device !== 'string' || (LANGUAGE === 'en' && isMetric(units))) return message;
  return happenedTo({ device, params }, { wording: t.wording, locale: LOCALE, units });
}
