import { useServerInfo } from '../../../api/server-info.ts';
import { t } from '../../../texts/t.ts';
import { CopyField } from '../../../ui/fields/copy-field.tsx';
import { Notice } from '../../../ui/states.tsx';
import css from './unknown-trackers.module.css';

const words = t.trackers.unknown;

/** The address of this server for trackers. The port is null if it does not listen for them. */
export function useTrackerAddress() {
  const { publicUrl, trackersPort } = useServerInfo().data ?? {};
  return { host: new URL(publicUrl || location.origin).hostname, port: trackersPort };
}

/** The values to enter in a tracker. */
export function TrackerAddress() {
  const { host: hostname, port: trackersPort } = useTrackerAddress();
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
  return (
    <div className={css.address}>
      <p className={css.soft}>{words.setUp}</p>
      <dl className={css.fields}>
        <div>
          <dt>{words.host}</dt>
          <dd>
            <CopyField value={hostname} label={words.host} />
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
        {words.portHint}{' '}
        <a href="/docs/guides/install-trackers" target="_blank" rel="noopener noreferrer">
          {words.docs}
        </a>
      </p>
      {trackersPort === null && <Notice tone="warn">{words.noPort}</Notice>}
      {isLocal && <Notice tone="warn">{words.local}</Notice>}
    </div>
  );
}
