import { useMaker } from '../api/maker.ts';
import { t } from '../texts/t.ts';

/** Says who made what the viewer did not make. */
export function MadeBy({ of }: { of: { readonly deviceId: number; readonly userId: number } }) {
  const maker = useMaker(of.deviceId, of.userId);
  return maker && <span>{t.makers.madeBy(maker.email)}</span>;
}
