/** @returns the ORDER BY of a list's `sort`; ties sort by id */
export function orderOf(sort: string): string {
  const fields = sort.split(',').map((field) => (field.startsWith('-') ? `${field.slice(1)} DESC` : field));
  return [...fields, sort.startsWith('-') ? 'id DESC' : 'id'].join(', ');
}
