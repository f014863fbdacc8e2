import { getMetadataStorage, IsInt, IsString, MetadataStorage } from 'class-validator';
import { cacheValidationMetadata } from './metadata-cache';

class First {
  @IsInt()
  number!: number;
}

class Second {
  @IsString()
  text!: string;
}

describe(cacheValidationMetadata, () => {
  /** A storage that counts how often it collects. */
  function makeSut() {
    const collected: unknown[] = [];
    const storage = Object.create(getMetadataStorage()) as MetadataStorage;
    const original = new MetadataStorage();
    getMetadataStorage()
      .getTargetValidationMetadatas(First, '', false, false)
      .concat(getMetadataStorage().getTargetValidationMetadatas(Second, '', false, false))
      .forEach((metadata) => original.addValidationMetadata(metadata));
    storage.getTargetValidationMetadatas = (target, ...rest) => {
      collected.push(target);
      return original.getTargetValidationMetadatas(target, ...rest);
    };
    cacheValidationMetadata(storage);
    const fields = (target: new () => object, groups?: string[]) =>
      storage.getTargetValidationMetadatas(target, '', false, false, groups).map(({ propertyName }) => propertyName);
    return { collected, fields };
  }

  it('collects the constraints of a class once, and keeps classes and groups apart', () => {
    const { collected, fields } = makeSut();
    expect([fields(First), fields(First), fields(Second)]).toEqual([['number'], ['number'], ['text']]);
    expect(collected).toEqual([First, Second]);
    fields(First, ['query']);
    expect(collected).toEqual([First, Second, First]);
  });
});
