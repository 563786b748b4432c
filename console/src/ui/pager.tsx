import { IconButton } from './button.tsx';
import { Row } from './page.tsx';
import { words } from './words.ts';

/** Page `page` (from 0) of a paged list; `hasMore` if the total is unknown. */
export function Pager({
  page,
  onChange,
  hasMore,
  about,
}: {
  page: number;
  onChange: (page: number) => void;
  hasMore: boolean;
  /** The shown range: "51–100 of 312". */
  about?: string;
}) {
  if (page === 0 && !hasMore) return null;
  return (
    <nav aria-label={words.pages}>
      <Row>
        <IconButton icon="left" label={words.previous} disabled={page === 0} onClick={() => onChange(page - 1)} />
        <span>{about ?? words.page({ number: page + 1 })}</span>
        <IconButton icon="right" label={words.next} disabled={!hasMore} onClick={() => onChange(page + 1)} />
      </Row>
    </nav>
  );
}
