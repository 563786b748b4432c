import { useServerInfo } from '../../../api/server-info.ts';
import { t } from '../../../texts/t.ts';
import { CopyField } from '../../../ui/fields/copy-field.tsx';
import { Notice } from '../../../ui/states.tsx';
import css from './knocks.module.css';

const words = t.trackers.knocks;
/** As long as the operator sets no other. */
const PORT = '5010';

/** What to enter in a tracker. */
export function TrackerAddress() {
  const publicUrl = useServerInfo().data?.publicUrl;
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
        <div>
          <dt>{words.port}</dt>
          <dd>
            <CopyField value={PORT} label={words.port} />
          </dd>
        </div>
      </dl>
      <p className={css.soft}>
        {words.portHint}{' '}
        <a href="/docs/guides/trackers" target="_blank" rel="noopener noreferrer">
          {words.docs}
        </a>
      </p>
      {isLocal && <Notice tone="warn">{words.local}</Notice>}
    </div>
  );
}
