import type { operations, paths } from '../api-types';
import type { PageMeta } from '../page';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The document's paths with an operation of this method; the compiler refuses any other. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: object } ? P : never;
}[keyof paths];

type OperationAt<M extends Method, P extends PathOf<M>> = paths[P] extends { [K in M]: infer O } ? O : never;
type Answer<O> = O extends { responses: { 200: { content: { 'application/json': infer B } } } }
  ? B
  : O extends { responses: { 201: { content: { 'application/json': infer B } } } }
    ? B
    : never;
type MetaOf<O> = Answer<O> extends { meta: infer M extends PageMeta } ? M : PageMeta;
type DataOf<O> = Answer<O> extends { data: infer D } ? D : never;
type JsonOf<R> = R extends { content: { 'application/json': infer B extends object } } ? B : never;
/** Includes `undefined` where the body is optional. */
type BodyOf<O> = O extends { requestBody: infer R }
  ? JsonOf<R>
  : O extends { requestBody?: infer R }
    ? JsonOf<NonNullable<R>> | undefined
    : undefined;
type QueryOf<O> = O extends { parameters: { query?: infer Q extends object } } ? Q : undefined;
type IdsOf<O> = O extends { parameters: { path: infer I extends object } } ? I : undefined;

/** The compiler refuses a part that the operation does not have, and requires one that it needs. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : undefined extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T };

/** The input of one operation's request. */
export type InputAt<M extends Method, P extends PathOf<M>> = Part<'path', IdsOf<OperationAt<M, P>>> &
  Part<'body', BodyOf<OperationAt<M, P>>> & { query?: QueryOf<OperationAt<M, P>> };
/** The whole envelope. */
export type AnswerAt<P extends PathOf<'get'>> = Answer<OperationAt<'get', P>>;
/** The operation's result. */
export type DataAt<M extends Method, P extends PathOf<M>> = DataOf<OperationAt<M, P>>;
export type ItemAt<P extends PathOf<'get'>> = DataAt<'get', P> extends (infer I)[] ? I : never;
/** The `meta` of a list. */
export type MetaAt<P extends PathOf<'get'>> = MetaOf<OperationAt<'get', P>>;

/** The same types by an operation's name in the document. */
export type Data<Id extends keyof operations> = DataOf<operations[Id]>;
export type Body<Id extends keyof operations> = NonNullable<BodyOf<operations[Id]>>;
export type Query<Id extends keyof operations> = NonNullable<QueryOf<operations[Id]>>;
export type Item<Id extends keyof operations> = Data<Id> extends (infer I)[] ? I : never;
export type Meta<Id extends keyof operations> = MetaOf<operations[Id]>;
