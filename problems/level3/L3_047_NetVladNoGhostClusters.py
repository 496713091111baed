import math

import torch
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 2048
NUM_FEATURES = 100
FEATURE_SIZE = 512
CLUSTER_SIZE = 32
GHOST_CLUSTERS = 0


class Model(nn.Module):
    """NetVLAD pooling, no ghost clusters: soft-assigns features to clusters and aggregates the residuals."""

    def __init__(self, cluster_size, feature_size, ghost_clusters):
        super().__init__()
        self.feature_size = feature_size
        self.cluster_size = cluster_size
        self.ghost_clusters = ghost_clusters
        init_scale = 1 / math.sqrt(feature_size)
        clusters = cluster_size + ghost_clusters
        self.clusters = nn.Parameter(init_scale * torch.randn(feature_size, clusters))
        self.batch_norm = nn.BatchNorm1d(clusters)
        self.clusters2 = nn.Parameter(init_scale * torch.randn(1, feature_size, cluster_size))
        self.out_dim = cluster_size * feature_size

    def forward(self, x, mask=None):
        num_features = x.size(1)
        x = x.view(-1, self.feature_size)  # (B * N, D)

        assignment = torch.matmul(x, self.clusters)
        assignment = self.batch_norm(assignment)
        assignment = F.softmax(assignment, dim=1)
        assignment = assignment[:, : self.cluster_size]  # drop the ghost clusters
        assignment = assignment.view(-1, num_features, self.cluster_size)  # (B, N, K)

        weight = torch.sum(assignment, dim=1, keepdim=True)
        centers = weight * self.clusters2  # (B, D, K)

        assignment = assignment.transpose(1, 2)
        x = x.view(-1, num_features, self.feature_size)
        vlad = torch.matmul(assignment, x)  # (B, K, D)
        vlad = vlad.transpose(1, 2) - centers

        vlad = F.normalize(vlad)
        vlad = vlad.reshape(-1, self.cluster_size * self.feature_size)
        return F.normalize(vlad)


def get_inputs():
    return [torch.rand(BATCH_SIZE, NUM_FEATURES, FEATURE_SIZE)]


def get_init_inputs():
    return [CLUSTER_SIZE, FEATURE_SIZE, GHOST_CLUSTERS]
