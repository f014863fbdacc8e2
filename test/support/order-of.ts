/** @returns what a list's `sort` means, as SQL, by the rule that the id decides between equals */
export function orderOf(sort: string): string {
  const fields = sort.split(',').map((field) => (field.startsWith('-') ? `${field.slice(1)} DESC` : field));
  return [...fields, sort.startsWith('-') ? 'id DESC' : 'id'].join(', ');
}
