package node

import "go.temporal.io/server/common/dynamicconfig"

// settings differ from the server's defaults where those are made for a fleet.
func settings() dynamicconfig.Client {
	return dynamicconfig.StaticClient{
		dynamicconfig.EnableServerVersionCheck.Key(): false, // no calls home

		dynamicconfig.FrontendPersistenceMaxQPS.Key(): 10_000,
		dynamicconfig.HistoryPersistenceMaxQPS.Key():  45_000,

		// What a run was like is remembered after its end, too, some 40 kB of each. To look it up
		// costs less; but all that are worked on at once must fit: 1,536 tasks, and the requests.
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key(): 2_048,

		// A worker that stops is asked for nothing more. Otherwise a task could be handed to one that
		// has just hung up, and would wait until its time is up: ten seconds and more.
		dynamicconfig.EnableCancelWorkerPollsOnShutdown.Key(): true,

		// Ten lists a second is little for a page that polls.
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 100,

		// On one node partitions only add hops; one instead of four halves the slowest answers.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,

		// The default is 20 a second for each shard, and there is one shard: every task would
		// wait up to 50 ms.
		dynamicconfig.TransferProcessorMaxPollRPS.Key():   500,
		dynamicconfig.TimerProcessorMaxPollRPS.Key():      500,
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key(): 500,
	}
}
