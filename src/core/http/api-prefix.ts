/** What comes before a controller's own path, with the version: `/api/v1`. */
export const API_PREFIX = 'api';

/** First segments of the paths without that prefix: platforms, load balancers and Prometheus call them, with no API key. */
const OUTSIDE_API = ['callbacks', 'health', 'metrics'];

/** The same as patterns of Nest. */
export const OUTSIDE_API_ROUTES = OUTSIDE_API.flatMap((segment) => [segment, `${segment}/*path`]);

/** @param paths of a controller, as its decorator has them */
export function isOutsideApi(paths: string | readonly string[]): boolean {
  return [paths].flat().every((path) => OUTSIDE_API.includes(path.replace(/^\//, '').split('/')[0]!));
}
