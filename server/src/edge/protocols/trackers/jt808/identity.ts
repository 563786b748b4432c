/** Names of a device, best first: without and with leading zeros; letters mean that an IMEI was packed into six bytes. */
export function identitiesOf(id: string): readonly string[] {
  if (!/^\d+$/.test(id)) {
    const packed = Number.parseInt(id, 16);
    return Number.isSafeInteger(packed) ? [`${packed}${luhnDigit(String(packed))}`, id] : [id];
  }
  const short = id.replace(/^0+/, '');
  if (short === '') return [id];
  return [...new Set([short, id, short.padStart(12, '0')])];
}

/** The check digit of an IMEI, of which the others are given. */
export function luhnDigit(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return (10 - (sum % 10)) % 10;
}

/** How a device is addressed that is known only by its name. */
export function idOf(identity: string): string | undefined {
  if (!/^\d{1,20}$/.test(identity)) return undefined;
  if (identity.length <= 12) return identity.padStart(12, '0');
  const isPacked = identity.length === 15 && luhnDigit(identity.slice(0, 14)) === Number(identity[14]);
  return isPacked ? Number(identity.slice(0, 14)).toString(16).padStart(12, '0') : identity.slice(-12);
}
