import { t } from '../../texts/t.ts';
import { Ago } from '../../ui/time.tsx';

/** The time of a token's last use, with the address on hover. */
export function LastUse({ time, address }: { time: string | null; address: string | null }) {
  if (time === null) return <>{t.tokens.neverUsed}</>;
  return (
    <span title={address === null ? undefined : t.tokens.usedFrom({ address })}>
      <Ago time={time} />
      {address !== null && <span className="unseen"> {t.tokens.usedFrom({ address })}</span>}
    </span>
  );
}
