/** The prefix of controllers' paths; with the version, `/api/v1`. */
export const API_PREFIX = 'api';

/** First segments of the paths without the prefix: platforms, load balancers and Prometheus call them without an API key. */
const OUTSIDE_API = ['callbacks', 'health', 'metrics'];

/** The same as Nest's patterns. */
export const OUTSIDE_API_ROUTES = OUTSIDE_API.flatMap((segment) => [segment, `${segment}/*path`]);

/** @param paths of a controller, from its decorator */
export function isOutsideApi(paths: string | readonly string[]): boolean {
  return [paths].flat().every((path) => OUTSIDE_API.includes(path.replace(/^\//, '').split('/')[0]!));
}
