import { t, textFor } from './t.ts';

/** Why an item was quarantined. A reason without a code, such as that of a decoder, is English. */
export const quarantineText = ({ reason, reasonCode }: { reason: string; reasonCode?: string | null }): string =>
  textFor(t.quarantine.reasons, reasonCode ?? '') ?? reason;
