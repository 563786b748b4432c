import { useServerInfo } from '../../../api/server-info.ts';
import { t } from '../../../texts/t.ts';
import { CopyField } from '../../../ui/fields/copy-field.tsx';
import { Notice } from '../../../ui/states.tsx';
import css from './knocks.module.css';

const words = t.trackers.knocks;

/** What to enter in a tracker. */
export function TrackerAddress() {
  const { publicUrl, trackersPort } = useServerInfo().data ?? {};
  const { hostname } = new URL(publicUrl || location.origin);
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
        <a href="/docs/guides/trackers" target="_blank" rel="noopener noreferrer">
          {words.docs}
        </a>
      </p>
      {trackersPort === null && <Notice tone="warn">{words.noPort}</Notice>}
      {isLocal && <Notice tone="warn">{words.local}</Notice>}
    </div>
  );
}
