import { useRead } from '../../../api/calls.ts';
import { useServerInfo } from '../../../api/server-info.ts';
import { phoneAddresses } from '../../../forms/connect/phone-address.ts';
import { t } from '../../../texts/t.ts';
import { CopyField } from '../../../ui/fields/copy-field.tsx';
import { Notice } from '../../../ui/states.tsx';
import css from './unknown-trackers.module.css';

const words = t.trackers.unknown;

/**
 * The address of this server for trackers: no host if none can reach it, and a null port if it does not listen. Undefined
 * until it is loaded.
 */
export function useTrackerAddress() {
  const server = useServerInfo().data;
  const reach = useRead('getReach', {}).data;
  if (!server || !reach) return undefined;
  const { publicUrl, trackersPort } = server;
  // In an opened local network, the server accepts only HTTP.
  const known = reach.localNetwork === 'always' ? reach.addresses : [];
  const [address] = phoneAddresses(known, publicUrl || location.origin);
  return { host: address && new URL(address).hostname, port: trackersPort };
}

/** The values to enter in a tracker. */
export function TrackerAddress({ isReached }: { isReached: boolean }) {
  const address = useTrackerAddress();
  if (address === undefined) return null;
  const { host, port: trackersPort } = address;
  if (host === undefined)
    return isReached ? (
      <p className={css.soft}>
        <Docs />
      </p>
    ) : (
      <Notice tone="warn">
        {words.local} <Docs />
      </Notice>
    );
  return (
    <div className={css.address}>
      <p className={css.soft}>{words.setUp}</p>
      <dl className={css.fields}>
        <div>
          <dt>{words.host}</dt>
          <dd>
            <CopyField value={host} label={words.host} />
          </dd>
        </div>
        {trackersPort && (
          <div>
            <dt>{words.port}</dt>
            <dd>
              <CopyField value={String(trackersPort)} label={words.port} />
            </dd>
          </div>
        )}
      </dl>
      <p className={css.soft}>
        {words.portHint} <Docs />
      </p>
      {trackersPort === null && <Notice tone="warn">{words.noPort}</Notice>}
    </div>
  );
}

const Docs = () => (
  <a href="/docs/guides/install-trackers" target="_blank" rel="noopener noreferrer">
    {words.docs}
  </a>
);
