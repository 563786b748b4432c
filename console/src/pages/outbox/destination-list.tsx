import { useSearchParams } from 'wouter';
import { useMe } from '../../api/accounts/users.ts';
import { useDestinations, useOwnMessages } from '../../api/outbox.ts';
import { t } from '../../texts/t.ts';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { DestinationCard } from './destination-card.tsx';
import css from './outbox.module.css';
import { OwnMessages } from './own-messages.tsx';

const words = t.outbox;

export function DestinationList() {
  const isAdmin = useMe().data?.admin === true;
  const [search, setSearch] = useSearchParams();
  const whose = isAdmin && search.get('whose') === 'all' ? 'all' : 'mine';
  const query = useDestinations(whose);
  const own = useOwnMessages(whose);
  return (
    <div className={css.list}>
      {isAdmin && (
        <div className={css.whose}>
          <Segmented<'mine' | 'all'>
            label={words.whose}
            value={whose}
            onChange={(next) => setSearch(next === 'all' ? { whose: 'all' } : {})}
            choices={[
              { value: 'mine', label: words.mine },
              { value: 'all', label: words.all },
            ]}
          />
        </div>
      )}
      {own.map((messages) => (
        <OwnMessages key={messages.kind} {...messages} />
      ))}
      <Loaded query={query} lines={5}>
        {(destinations) =>
          destinations.length + own.length === 0 ? (
            <EmptyState icon="outbox" title={words.none}>
              {words.noneText}
            </EmptyState>
          ) : (
            destinations.map((destination) => (
              <DestinationCard key={destination.id} destination={destination} whose={whose} />
            ))
          )
        }
      </Loaded>
    </div>
  );
}
