/** 0, 1, 2, 5 as 0–2, 5. */
export function slotRanges(numbers: readonly number[]): string {
  const texts: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    let end = at;
    while (numbers[end + 1] === numbers[end]! + 1) end++;
    texts.push(end === at ? `${numbers[at]}` : `${numbers[at]}–${numbers[end]}`);
    at = end + 1;
  }
  return texts.join(', ');
}
