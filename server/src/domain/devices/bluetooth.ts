import { invalidField } from '../../refusals.ts';

const ADDRESS =
  /^([0-9a-f]{2})[:-]?([0-9a-f]{2})[:-]?([0-9a-f]{2})[:-]?([0-9a-f]{2})[:-]?([0-9a-f]{2})[:-]?([0-9a-f]{2})$/i;

/** A received Bluetooth address in any spelling; undefined for any other identifier. */
export function bluetoothAddress(text: string): string | undefined {
  const digits = text.replaceAll(/[:\-. ]/g, '');
  return /^[0-9a-f]{12}$/i.test(digits) ? digits.toLowerCase().match(/../g)!.join(':') : undefined;
}

/** An address as a number. */
export const addressNumber = (address: string) => Number.parseInt(address.replaceAll(':', ''), 16);

/** A bluetooth address has two spellings, a number and hex pairs, which are always set together. */
export function withBothSpellings(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const field = Object.hasOwn(values, 'btMac')
    ? 'btMac'
    : Object.hasOwn(values, 'btMacAddress')
      ? 'btMacAddress'
      : undefined;
  if (field === undefined) return values;
  const sent = values[field];
  if (sent === null || sent === '') return { ...values, btMac: null, btMacAddress: null };
  const address =
    typeof sent === 'number'
      ? addressOf(sent)
      : ADDRESS.exec(sent as string)
          ?.slice(1)
          .join(':')
          .toLowerCase();
  if (address === undefined)
    throw invalidField('device', field, 'format', 'is not a bluetooth address like aa:bb:cc:dd:ee:ff');
  return { ...values, btMac: addressNumber(address), btMacAddress: address };
}

const addressOf = (mac: number) => mac.toString(16).padStart(12, '0').match(/../g)!.join(':');
