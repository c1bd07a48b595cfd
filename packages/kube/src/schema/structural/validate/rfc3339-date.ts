/** True for a full-date of RFC 3339 that exists: `2024-02-29`. */
export function isRfc3339Date(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [, year = '', month = '', day = ''] = match;
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days;
}
