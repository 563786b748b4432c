import { useMaker } from '../api/maker.ts';
import { t } from '../texts/t.ts';

/** Shows the creator if it is not the viewer. */
export function MadeBy({ of }: { of: { readonly deviceId: number; readonly userId: number } }) {
  const maker = useMaker(of.deviceId, of.userId);
  return maker && <span>{t.makers.madeBy({ email: maker.email })}</span>;
}
