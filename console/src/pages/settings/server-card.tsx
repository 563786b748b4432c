import { isChannel } from '@trackway/contract/channels.ts';
import { useServerInfo } from '../../api/server-info.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import css from './settings.module.css';

const words = t.settings;

/** The configuration of this server by its operator. */
export function ServerCard() {
  const query = useServerInfo();
  return (
    <Card title={words.server}>
      <Loaded query={query} lines={2}>
        {({ version, publicUrl, channels }) => (
          <>
            <Facts
              facts={[
                [words.version, version],
                [words.address, publicUrl || words.addressUnset],
              ]}
            />
            <h3 className={css.sub}>{words.ways}</h3>
            <ul className={css.ways}>
              {Object.entries(channels).map(([channel, isSetUp]) => (
                <li key={channel}>
                  {isChannel(channel) ? t.channels[channel].name : channel}
                  <Badge tone={isSetUp ? 'good' : 'plain'} hasDot>
                    {isSetUp ? words.setUp : words.notSetUp}
                  </Badge>
                </li>
              ))}
            </ul>
            <a href="/docs" target="_blank" rel="noopener noreferrer">
              {words.reference}
            </a>
          </>
        )}
      </Loaded>
    </Card>
  );
}
