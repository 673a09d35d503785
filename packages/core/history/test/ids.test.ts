import { expectTypeOf, test } from 'vitest';
import {
  type History,
  type IdColumn,
  type KeyId,
  type OperationId,
  type TransactionId,
  nameTransaction,
  showOperation,
  transactionOf,
} from '../src/index.ts';

test('a transaction is neither a key, an operation nor a plain number', () => {
  expectTypeOf(nameTransaction).parameter(1).toEqualTypeOf<TransactionId>();
  expectTypeOf<KeyId>().not.toExtend<TransactionId>();
  expectTypeOf<OperationId>().not.toExtend<TransactionId>();
  expectTypeOf<number>().not.toExtend<TransactionId>();
  expectTypeOf<TransactionId>().toExtend<number>();
});

test('a key is neither a transaction nor a plain number', () => {
  expectTypeOf<TransactionId>().not.toExtend<KeyId>();
  expectTypeOf<number>().not.toExtend<KeyId>();
});

test('an operation may be a plain number, but is neither a transaction nor a key', () => {
  expectTypeOf(transactionOf).parameter(1).toEqualTypeOf<OperationId>();
  expectTypeOf<number>().toExtend<OperationId>();
  expectTypeOf<TransactionId>().not.toExtend<OperationId>();
  expectTypeOf<KeyId>().not.toExtend<OperationId>();
});

test('the columns of a history hold ids', () => {
  expectTypeOf<History['sessionStart'][number]>().toEqualTypeOf<TransactionId>();
  expectTypeOf<History['txnStart'][number]>().toEqualTypeOf<OperationId>();
  expectTypeOf<History['opKey'][number]>().toEqualTypeOf<KeyId>();
  expectTypeOf<IdColumn<KeyId>>().toExtend<Int32Array>();
  expectTypeOf<Int32Array>().not.toExtend<IdColumn<KeyId>>();
});

test('calls with the wrong id do not compile', () => {
  const calls = ({ sessionStart, opKey }: History, history: History): void => {
    nameTransaction(history, sessionStart[0]);
    // @ts-expect-error A key is not a transaction.
    nameTransaction(history, opKey[0]);
    // @ts-expect-error A plain number becomes a transaction only by a cast.
    nameTransaction(history, 0);
    // @ts-expect-error A transaction is not an operation.
    showOperation(history, sessionStart[0]);
    // @ts-expect-error A key is not an operation.
    transactionOf(history, opKey[0]);
  };
  expectTypeOf(calls).toBeFunction();
});
