import { date } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded, Notice } from '../../ui/states.tsx';
import css from './push-settings.module.css';
import { useBrowserPush } from './use-browser-push.ts';

const words = t.notifications.push;

/** Enables push messages in this browser, and lists the browsers with push messages. */
export function PushSettings() {
  const { info, ability, subscriptions = [], here, isBusy, trouble, start, end } = useBrowserPush();
  return (
    <Loaded query={info} lines={2}>
      {() => (
        <div className={css.settings}>
          {ability !== undefined && ability !== 'able' ? (
            <Notice tone="warn">{words[ability]}</Notice>
          ) : (
            <div className={css.here}>
              <Icon name={here ? 'bell' : 'snooze'} size={22} />
              <strong>{here ? words.on : words.off}</strong>
              {here ? (
                <Button size="small" isBusy={isBusy} onClick={() => void end(here.id, here.endpoint)}>
                  {words.unsubscribe}
                </Button>
              ) : (
                <Button kind="primary" size="small" isBusy={isBusy} onClick={() => void start()}>
                  {words.subscribe}
                </Button>
              )}
            </div>
          )}
          <div aria-live="polite">
            {isBusy && !here && ability === 'able' && <p className={css.soft}>{words.asking}</p>}
            {trouble && <Notice tone="warn">{words[trouble]}</Notice>}
          </div>
          {subscriptions.length > 0 && (
            <>
              <h3 className={css.title}>{words.browsers}</h3>
              <ul className={css.browsers}>
                {subscriptions.map(({ id, agent, created, endpoint }) => (
                  <li key={id}>
                    <span className={css.agent}>
                      {agent ?? words.unknown}
                      <span className={css.soft}>
                        {words.since({ when: date(created) })}
                        {id === here?.id && ` · ${words.thisBrowser}`}
                      </span>
                    </span>
                    <IconButton
                      icon="trash"
                      size="small"
                      label={words.remove({ agent: agent ?? words.unknown })}
                      disabled={isBusy}
                      onClick={() => void end(id, endpoint)}
                    />
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </Loaded>
  );
}
