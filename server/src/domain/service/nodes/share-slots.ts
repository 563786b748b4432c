/** What a node does so that the slots are shared evenly. */
export interface SlotMoves {
  /** Slots of its own that it hands to others. */
  readonly give: ReadonlyMap<number, string>;
  /** Slots of nobody that it takes. */
  readonly take: readonly number[];
}

/**
 * Every node decides for itself, from what it sees at the time: who has more than a fair share gives the rest away, who
 * has less takes what is free. Nodes that see the same plan the same, so that no slot is wanted by two of them; as few
 * slots as possible change hands.
 * @param owners by slot; undefined where nobody has it
 * @param nodes those that run; without the node itself, where it stops
 */
export function shareSlots(owners: readonly (string | undefined)[], nodes: readonly string[], own: string): SlotMoves {
  const slotsOf = new Map([...nodes].sort().map((node): [string, number[]] => [node, []]));
  const spare: { readonly slot: number; readonly owner: string | undefined }[] = [];
  for (const [slot, owner] of owners.entries()) {
    const held = owner === undefined ? undefined : slotsOf.get(owner);
    if (held) held.push(slot);
    // What a node has that does not run any more is its own until it gives it away, or until its lease ends.
    else if (owner === undefined || owner === own) spare.push({ slot, owner });
  }
  const shares = sharesOf(slotsOf, owners.length);
  const wanting: string[] = [];
  for (const [node, held] of slotsOf) {
    const share = shares.get(node)!;
    for (const slot of held.slice(share)) spare.push({ slot, owner: node });
    for (let missing = share - held.length; missing > 0; missing--) wanting.push(node);
  }
  const give = new Map<number, string>();
  const take: number[] = [];
  // What is free comes first: nobody keeps its clock.
  spare.sort((a, b) => Number(a.owner !== undefined) - Number(b.owner !== undefined) || a.slot - b.slot);
  for (const [index, { slot, owner }] of spare.entries()) {
    const next = wanting[index];
    if (next === undefined) break;
    if (owner === own) give.set(slot, next);
    else if (owner === undefined && next === own) take.push(slot);
  }
  return { give, take };
}

/**
 * Where it does not come out even, some have one more: those that have it, the nearest to it first, so that whoever has
 * given the rest away keeps it.
 */
function sharesOf(slotsOf: ReadonlyMap<string, readonly number[]>, slots: number): Map<string, number> {
  const [least, more] = [Math.floor(slots / slotsOf.size), slots % slotsOf.size];
  const order = ([, { length }]: [string, readonly number[]]) => (length > least ? length : slots + 1);
  const nodes = [...slotsOf].sort((a, b) => order(a) - order(b) || (a[0] < b[0] ? -1 : 1));
  return new Map(nodes.map(([node], index) => [node, index < more ? least + 1 : least]));
}
