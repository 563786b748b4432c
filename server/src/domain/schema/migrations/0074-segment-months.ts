import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * On PostgreSQL packed positions lie in parts of their table, one for each month (UTC), so that months that nobody keeps any
 * more are dropped. The table of before becomes the part of all earlier times: nothing is copied. What is of a month that
 * was not made lies in a part for the rest.
 *
 * Older nodes go on reading and writing the table by its name.
 */
export const segmentMonths: Migration = {
  name: '0074-segment-months',
  suitsOlderNodes: true,
  up: (storeKind) => (storeKind === 'sqlite' ? '' : POSTGRES),
};

/** Times are milliseconds; a timestamp without a zone is taken for one of UTC. */
const MS = (time: string) => `CAST(EXTRACT(EPOCH FROM ${time}) * 1000 AS BIGINT)`;

const POSTGRES = `
DO $$
DECLARE
  this_month TIMESTAMP := date_trunc('month', now() AT TIME ZONE 'UTC');
  month TIMESTAMP;
  newest BIGINT;
  is_spread BOOLEAN := FALSE;
BEGIN
  SELECT MAX("first") INTO newest FROM "segments";
  -- Months begin behind what there is, but never later than with the next one, for the sake of wrong clocks.
  month := CASE
    WHEN newest IS NULL THEN this_month
    WHEN newest >= ${MS(`(this_month + INTERVAL '1 month')`)} THEN this_month + INTERVAL '1 month'
    WHEN newest < ${MS(`(this_month - INTERVAL '1 year')`)} THEN this_month - INTERVAL '1 year'
    ELSE date_trunc('month', to_timestamp(newest / 1000) AT TIME ZONE 'UTC') + INTERVAL '1 month'
  END;
  IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
    SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE "logicalrelid" = CAST('"segments"' AS regclass)) INTO is_spread;
  END IF;

  ALTER TABLE "segments" RENAME TO "segments_before";
  ALTER INDEX "segments_pkey" RENAME TO "segments_before_pkey";
  CREATE TABLE "segments" (
    LIKE "segments_before" INCLUDING DEFAULTS INCLUDING STORAGE,
    PRIMARY KEY ("slot", "deviceId", "first")
  ) PARTITION BY RANGE ("first");
  IF is_spread THEN
    PERFORM create_distributed_table('"segments"', 'slot', colocate_with => '"segments_before"');
  ELSE
    -- Citus keeps the owner of a sequence for good; there it stays the part that was the table, which is never dropped.
    ALTER SEQUENCE "segments_ids" OWNED BY "segments"."id";
  END IF;
  CREATE TABLE "segments_rest" PARTITION OF "segments" DEFAULT;
  IF newest >= ${MS('month')} THEN
    EXECUTE format('INSERT INTO "segments_rest" SELECT * FROM "segments_before" WHERE "first" >= %s', ${MS('month')});
    EXECUTE format('DELETE FROM "segments_before" WHERE "first" >= %s', ${MS('month')});
  END IF;
  EXECUTE format('ALTER TABLE "segments" ATTACH PARTITION "segments_before" FOR VALUES FROM (MINVALUE) TO (%s)', ${MS('month')});
  -- Where there are rows of the rest already, servers make the months, and bring the rows there.
  WHILE (newest IS NULL OR newest < ${MS('month')}) AND month <= this_month + INTERVAL '2 months' LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF "segments" FOR VALUES FROM (%s) TO (%s)',
      'segments_' || to_char(month, 'YYYY_MM'), ${MS('month')}, ${MS(`(month + INTERVAL '1 month')`)});
    month := month + INTERVAL '1 month';
  END LOOP;
END $$;
`;
