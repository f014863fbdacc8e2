import { runRoom } from './room';

runRoom('openapi');
